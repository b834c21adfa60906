// Cells in colours such that no two that are near each other have the same.
#pragma once

#include "linalg/colouring.h"
#include "op/problem/cell_graph.h"

namespace weft {

// Of cells that one comes to over `distance` facets or fewer no two have the same colour: greedy,
// in the order of the numbers, each cell with the smallest colour that is free. The same on every
// run.
Colouring colour_cells(const CellGraph &graph, int distance);

} // namespace weft
