#include "mesh/order/subgraph.h"

#include <algorithm>

namespace weft {

CellGroups group_cells(std::span<const std::int32_t> group, std::int32_t num_groups) {
  CellGroups groups;
  groups.offset.assign(num_groups + 1, 0);
  for (const std::int32_t g : group)
    ++groups.offset[g + 1];
  for (std::int32_t g = 0; g < num_groups; ++g)
    groups.offset[g + 1] += groups.offset[g];
  groups.cells.resize(group.size());
  std::vector<std::int64_t> next(groups.offset.begin(), groups.offset.end() - 1);
  for (std::size_t c = 0; c < group.size(); ++c)
    groups.cells[next[group[c]]++] = static_cast<std::int32_t>(c);
  return groups;
}

CellAdjacency Subgraphs::make(std::span<const std::int32_t> members) {
  for (std::size_t i = 0; i < members.size(); ++i)
    local_[members[i]] = static_cast<std::int32_t>(i);
  CellAdjacency graph;
  graph.offset.reserve(members.size() + 1);
  for (const std::int32_t cell : members) {
    for (const std::int32_t neighbour : adjacency_.of(cell))
      if (local_[neighbour] >= 0)
        graph.neighbours.push_back(local_[neighbour]);
    graph.offset.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
  }
  for (const std::int32_t cell : members)
    local_[cell] = -1;
  return graph;
}

CellAdjacency group_adjacency(const CellAdjacency &adjacency, std::span<const std::int32_t> group,
                              const CellGroups &groups) {
  CellAdjacency graph;
  const auto num_groups = static_cast<std::int32_t>(groups.offset.size()) - 1;
  std::vector<std::int32_t> last_seen_by(num_groups, -1);
  for (std::int32_t g = 0; g < num_groups; ++g) {
    last_seen_by[g] = g; // not its own neighbour
    for (const std::int32_t cell : groups.of(g))
      for (const std::int32_t neighbour : adjacency.of(cell)) {
        const std::int32_t other = group[neighbour];
        if (last_seen_by[other] == g)
          continue;
        last_seen_by[other] = g;
        graph.neighbours.push_back(other);
      }
    graph.offset.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
  }
  return graph;
}

} // namespace weft
