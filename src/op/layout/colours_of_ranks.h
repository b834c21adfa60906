// Cells in colours, of a mesh that ranks share.
#pragma once

#include "linalg/colouring.h"
#include "mesh/build/cell_graph.h"
#include "ranks/communicator.h"

namespace weft {

// All: colour_cells() of the whole mesh, given for the cells of a part, those of others too; the
// same on any number of ranks. The first rank has the graph of the whole meanwhile: 4 bytes a facet
// of each cell.
Colouring colour_cells_of_ranks(const Mesh &part, const CellGraph &graph, int distance,
                                Communicator &ranks);

} // namespace weft
