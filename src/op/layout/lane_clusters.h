// Lane groups of cells that share facets.
#pragma once

#include <cstdint>
#include <span>

#include "op/layout/lane_groups.h"

namespace weft {

// Groups grown greedily: from the first cell that is left, by the cell that has most of the
// group's facets (of equals the one with most neighbours beside the group too, then with the fewest
// left, then the first), so that many neighbours are in the same group and its values are read once
// (the greedy partition of Kloeckner, Warburton and Hesthaven, "High-Order Discontinuous Galerkin
// Methods by GPU Metaprogramming", section 26.3). `neighbours`: [cell, facet]; -1 where there is
// none. Only the last group may have lanes without a cell.
LaneGroups clustered_groups(std::span<const std::int32_t> neighbours, int facets, int lanes);

} // namespace weft
