// Which cell each lane of each lane group computes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/host_array.h"
#include "space/node_map.h"

namespace weft {

struct LaneGroups {
  int lanes = 1;
  std::vector<std::int32_t> cells; // [group, lane]: cell of the set; -1 = no cell
  std::int64_t num_groups() const { return static_cast<std::int64_t>(cells.size()) / lanes; }
};

// Consecutive cells in consecutive lanes; only the last group may have lanes without a cell.
LaneGroups consecutive_groups(std::int64_t num_cells, int lanes);

// Cells first .. end-1 as groups in which lane l takes the l-th part of the range, so that the
// lanes of a group lie apart and rarely add to the same node. Appends.
void append_spread_groups(LaneGroups &groups, std::int64_t first, std::int64_t end);

// Global node numbers, [group, node, lane]; lanes without a cell repeat the group's first cell.
// `order`, where there is one: [node], a permutation of the cell's nodes, for a group.
HostArray<std::int32_t>
group_nodes(const LaneGroups &groups, const NodeMapSet &map,
            const std::function<const std::vector<int> &(std::int64_t group)> &order = {});

} // namespace weft
