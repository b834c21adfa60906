#include "op/layout/lane_groups.h"

#include <algorithm>

#include "base/parallel.h"

namespace weft {

LaneGroups consecutive_groups(std::int64_t num_cells, int lanes) {
  LaneGroups groups{.lanes = lanes, .cells = {}};
  groups.cells.assign((num_cells + lanes - 1) / lanes * lanes, -1);
  for (std::int64_t c = 0; c < num_cells; ++c)
    groups.cells[c] = static_cast<std::int32_t>(c);
  return groups;
}

void append_spread_groups(LaneGroups &groups, std::int64_t first, std::int64_t end) {
  const std::int64_t num_cells = end - first, lanes = groups.lanes;
  const std::int64_t part = num_cells / lanes, longer = num_cells % lanes;
  const std::int64_t num_groups = part + (longer > 0 ? 1 : 0);
  for (std::int64_t g = 0; g < num_groups; ++g)
    for (std::int64_t l = 0; l < lanes; ++l) {
      // The first lanes have the longer parts, so that lane 0 has a cell in every group.
      const std::int64_t begin = l * part + std::min(l, longer);
      const std::int64_t count = part + (l < longer ? 1 : 0);
      groups.cells.push_back(g < count ? static_cast<std::int32_t>(first + begin + g) : -1);
    }
}

HostArray<std::int32_t>
group_nodes(const LaneGroups &groups, const NodeMapSet &map,
            const std::function<const std::vector<int> &(std::int64_t group)> &order) {
  const int num_nodes = map.element.num_nodes(), lanes = groups.lanes;
  HostArray<std::int32_t> nodes(groups.num_groups() * num_nodes * lanes);
  parallel_ranges(groups.num_groups(), [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t g = begin; g < end; ++g) {
      const int *of_group = order ? order(g).data() : nullptr;
      for (int l = 0; l < lanes; ++l) {
        const std::int32_t own = groups.cells[g * lanes + l];
        const std::int64_t cell = own >= 0 ? own : groups.cells[g * lanes];
        for (int i = 0; i < num_nodes; ++i)
          nodes[(g * num_nodes + i) * lanes + l] =
              map.nodes[cell * num_nodes + (of_group ? of_group[i] : i)];
      }
    }
  });
  return nodes;
}

} // namespace weft
