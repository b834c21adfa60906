// What ranks exchange of an array: places in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ranks/communicator.h"

namespace weft {

// Places in an array, by rank: what another reads of it, and ghosts that another has. Both sides
// list the same numbers in the same order.
struct HaloPlaces {
  struct Peer {
    int rank = 0;
    std::vector<std::int32_t> send, receive;
  };
  std::vector<Peer> peers; // ascending ranks, none without places
};

// All: fills the ghosts of an array of the host, [place], of things of so many bytes.
void exchange_on_host(Communicator &ranks, const HaloPlaces &places, void *values,
                      std::size_t bytes_each);
// The same of numbers.
void exchange_on_host(Communicator &ranks, const HaloPlaces &places, std::vector<double> &values);

} // namespace weft
