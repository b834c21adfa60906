// Arrays of all ranks as one.
#pragma once

#include <vector>

#include "ranks/bytes.h"
#include "ranks/communicator.h"

namespace weft {

// All: what the ranks have, as many as they have, one rank after another; on every rank.
template <typename T> std::vector<T> joined(Communicator &ranks, const std::vector<T> &own) {
  std::vector<Parcel> parcels;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    ByteWriter write;
    write(own);
    parcels.push_back({rank, write.take()});
  }
  std::vector<T> all;
  for (const Parcel &parcel : ranks.deliver(std::move(parcels))) {
    std::vector<T> values;
    ByteReader read(parcel.bytes);
    read(values);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

} // namespace weft
