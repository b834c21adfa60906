// From a piece of a mesh to a rank's part, as everything else takes it.
#pragma once

#include "mesh/mesh.h"
#include "mesh/parts/mesh_piece.h"
#include "ranks/communicator.h"

namespace weft {

// All: the piece's own cells, all cells that touch a vertex that its part owns, and all neighbours
// of its own cells, in the ranges that MeshShare describes: own cells in leaves (order_cells()),
// ghosts by owner and number. A vertex is of the part with most of the cells that touch it (of
// equal ones by a hash of its number), so that rows of owned nodes are complete. Facets on the
// boundary are those of the whole mesh; groups and classes have the same numbers in all parts. Sets
// may be empty.
Mesh make_part(const MeshPiece &piece, int leaf_cells, Communicator &ranks);

} // namespace weft
