// Tabulated functions as nodes of a graph.
#pragma once

#include "case/tabulated_function.h"
#include "form/graph/graph.h"

namespace weft {

// The function at x: the polynomial of each interval, and choices between them. Cubic: Hermite's
// polynomials, whose slopes keep it monotone where the rows are (Fritsch and Butland 1984,
// DOI 10.1137/0905021); its first derivative is continuous.
NodeId tabulated(Graph &graph, const TabulatedFunction &function, NodeId x);

} // namespace weft
