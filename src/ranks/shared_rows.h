// Rows of a matrix, or nodes of them, that ranks share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ranks/communicator.h"
#include "ranks/halo_places.h"

namespace weft {

// Rows are numbered one rank after another. A rank has places for its own rows and, behind them,
// for ghosts: those of others that it looks at.
struct SharedRows {
  Communicator *ranks = nullptr;
  std::vector<std::int64_t> first;  // [rank + 1]: the numbers of each rank's own rows begin there
  std::vector<std::int64_t> ghosts; // their numbers
  HaloPlaces halo;                  // places of rows

  std::int64_t num_own() const { return first[ranks->rank() + 1] - first[ranks->rank()]; }
  std::int64_t num_local() const { return num_own() + static_cast<std::int64_t>(ghosts.size()); }
  std::int64_t num_all() const { return first.back(); }
  std::int64_t number(std::int64_t place) const {
    return place < num_own() ? first[ranks->rank()] + place : ghosts[place - num_own()];
  }
  int owner(std::int64_t number) const;

  // All: fills the ghosts of an array of the host, [place, entry], `width` entries a row.
  template <typename T> void fetch(std::vector<T> &values, std::size_t width = 1) const {
    values.resize(num_local() * width);
    exchange_on_host(*ranks, halo, values.data(), width * sizeof(T));
  }
};

// All: asks the owners of ghosts, by number, for them. No number twice.
SharedRows share_rows(Communicator &ranks, std::int64_t num_own, std::vector<std::int64_t> ghosts);

// The rows of nodes of `components` consecutive ones each, and the nodes of such rows.
SharedRows rows_of_nodes(const SharedRows &nodes, int components);
SharedRows nodes_of_rows(const SharedRows &rows, int components);

} // namespace weft
