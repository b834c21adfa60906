// Pieces of finer meshes, made by each rank of its own.
#pragma once

#include "mesh/parts/mesh_piece.h"
#include "ranks/communicator.h"

namespace weft {

// All: the piece of the mesh that refine() makes of the whole one, cells, nodes and coordinates
// with the same numbers and bits; children are of their parent's part. Errors:
// check_can_be_refined() of the whole mesh, on all ranks.
MeshPiece refined_piece(const MeshPiece &piece, Communicator &ranks);

// All: the same of raise_order(), for a piece of order 1.
MeshPiece raised_piece(const MeshPiece &piece, Communicator &ranks);

} // namespace weft
