// Which part each vertex is of.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/parts/cells_of_vertices.h"
#include "mesh/parts/mesh_piece.h"
#include "ranks/communicator.h"

namespace weft {

// All: [node of the piece]: of a vertex, the part with most of the cells that touch it, of equal
// ones by a hash of its number in the whole mesh; -1 of other nodes. `cells`: of the piece's mesh.
std::vector<std::int32_t> vertex_owners(const MeshPiece &piece, const CellsOfVertices &cells,
                                        Communicator &ranks);

} // namespace weft
