// Parts of a graph of cells: their members, their own graphs, and the graph of the parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/order/cell_adjacency.h"

namespace weft {

// The members of group g, ascending: cells[offset[g]] ... cells[offset[g + 1] - 1].
struct CellGroups {
  std::vector<std::int64_t> offset = {0}; // [group + 1]
  std::vector<std::int32_t> cells;
  std::span<const std::int32_t> of(std::int64_t g) const {
    return {cells.data() + offset[g], static_cast<std::size_t>(offset[g + 1] - offset[g])};
  }
};
// `group`: [cell], each below num_groups.
CellGroups group_cells(std::span<const std::int32_t> group, std::int32_t num_groups);

class Subgraphs {
public:
  explicit Subgraphs(const CellAdjacency &adjacency)
      : adjacency_(adjacency), local_(adjacency.num_cells(), -1) {}
  // The graph of `members` alone, numbered as they stand there.
  CellAdjacency make(std::span<const std::int32_t> members);

private:
  const CellAdjacency &adjacency_;
  std::vector<std::int32_t> local_; // [cell]: its number among the members
};

// The graph of the groups: two are neighbours where cells of them are.
CellAdjacency group_adjacency(const CellAdjacency &adjacency, std::span<const std::int32_t> group,
                              const CellGroups &groups);

} // namespace weft
