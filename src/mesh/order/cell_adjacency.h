// Which cells are neighbours, as a plain graph in compressed rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft {

// The neighbours of cell c are neighbours[offset[c]] ... neighbours[offset[c + 1] - 1]. Symmetric:
// each of two neighbours names the other. No cell is its own neighbour.
struct CellAdjacency {
  std::vector<std::int64_t> offset = {0}; // [cell + 1]
  std::vector<std::int32_t> neighbours;

  std::int64_t num_cells() const { return static_cast<std::int64_t>(offset.size()) - 1; }
  std::int64_t num_entries() const { return offset.back(); }
  std::span<const std::int32_t> of(std::int64_t c) const {
    return {neighbours.data() + offset[c], static_cast<std::size_t>(offset[c + 1] - offset[c])};
  }
};

// From a table [cell, slot] of `width` slots. Entries that name no cell (negative, or num_cells and
// above) or the cell itself are left out.
CellAdjacency make_adjacency(std::span<const std::int32_t> table, std::int64_t num_cells,
                             int width);

// The order `cells` puts cell cells[p] in place p. inverse_permutation() is its inverse.
// The same graph with its cells in another order; rows keep the order of their entries.
CellAdjacency reordered(const CellAdjacency &adjacency, std::span<const std::int32_t> cells);

} // namespace weft
