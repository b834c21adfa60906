// Which rank gets which cells.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/build/cell_graph.h"

namespace weft {

// Which part each cell of all sets is of: about equal costs, few facets between parts, by METIS.
// `cost_of_set`: of a cell of each set, above 0. Parts may be empty. Errors: partition_into().
std::vector<std::int32_t>
partition_mesh(const CellGraph &graph, std::span<const double> cost_of_set, std::int32_t num_parts);

} // namespace weft
