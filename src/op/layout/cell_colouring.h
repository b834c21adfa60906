// Cells in colours such that no two that are near each other have the same.
#pragma once

#include "linalg/colouring.h"
#include "mesh/build/cell_graph.h"

namespace weft {

// No two cells with `distance` facets or fewer between them have the same colour: greedy,
// in the order of the numbers, each cell with the smallest colour that is free. The same on every
// run.
Colouring colour_cells(const CellGraph &graph, int distance);

} // namespace weft
