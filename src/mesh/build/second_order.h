// The nodes that a cell of geometry order 2 has beside its vertices: what each of them sits on.
#pragma once

#include <span>
#include <vector>

#include "mesh/cell_type.h"

namespace weft {

// For each node after the vertices, the local vertices whose mean it is on a straight cell: edges
// in the order of edge_vertices(), quadrilateral faces in the order of the facets (3D), the
// interior (quadrilateral and hexahedron). Empty for points.
const std::vector<std::vector<int>> &second_order_supports(CellType cell);

// Nodes of a cell of geometry order 1 or 2: 3 and 6 for triangles, ..., 8 and 27 for hexahedra.
int num_geometry_nodes(CellType cell, int order);

// Local nodes of a cell of that order that lie on a facet, in the order of the facet's own type.
std::vector<int> facet_geometry_nodes(CellType cell, int facet, int order);

// Where each of our nodes is found in a cell whose nodes are listed in another way:
// ours[i] = theirs[permutation[i]]. `vertices` says which of their vertices is ours, `supports` on
// what their further nodes sit, in their own vertex numbers. Throws an invariant error when a node
// has no counterpart.
std::vector<int> node_permutation(CellType cell, std::span<const int> vertices,
                                  const std::vector<std::vector<int>> &supports);

// The permutation that mirrors a cell of the given order, so that a reversed one becomes a proper
// one.
std::vector<int> mirror_permutation(CellType cell, int order);

} // namespace weft
