// Sums of products in which factors that all terms have in common are taken out.
#pragma once

#include <span>
#include <vector>

#include "form/graph/graph.h"

namespace weft {

// sum_k row[k] * column[k]. Where the entries of the row have parts with a common factor, as those
// of outer(a, b) + c*identity do, the factor comes last: a_i (sum_k b_k column[k]) + c column[i],
// and the inner sum is one node for all rows of a matrix. Results differ in the last bit.
NodeId factored_sum(Graph &graph, std::vector<NodeId> row, std::span<const NodeId> column);

} // namespace weft
