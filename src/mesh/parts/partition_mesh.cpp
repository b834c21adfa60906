#include "mesh/parts/partition_mesh.h"

#include <algorithm>

#include "mesh/order/partition_cells.h"

namespace weft {

std::vector<std::int32_t> partition_mesh(const CellGraph &graph,
                                         std::span<const double> cost_of_set,
                                         std::int32_t num_parts) {
  std::vector<double> cost(graph.num_cells);
  for (std::size_t s = 0; s < cost_of_set.size(); ++s)
    std::fill(cost.begin() + graph.first_cell[s], cost.begin() + graph.first_cell[s + 1],
              cost_of_set[s]);
  return partition_into(make_adjacency(graph.neighbour, graph.num_cells, graph.width), cost,
                        num_parts);
}

} // namespace weft
