// Numbers of the nodes that come into a mesh when its cells are split or get nodes of order 2.
#pragma once

#include <vector>

#include "mesh/parts/mesh_piece.h"
#include "mesh/refine/child_ranges.h"
#include "ranks/communicator.h"

namespace weft {

// All: fills whole_nodes and num_whole_nodes of `after`, and gives new nodes the coordinates that
// they have in the whole mesh. The nodes of `before` keep their numbers; new ones follow as if the
// whole mesh had been gone through cell by cell, each being numbered by the first cell that has it.
// `children`: [set of `before`], of its cells in `after`, whose new nodes were appended in the
// order of those cells.
void number_new_nodes(const MeshPiece &before, const std::vector<std::vector<ChildRange>> &children,
                      MeshPiece &after, Communicator &ranks);

} // namespace weft
