// What carries groups in a mesh, copied into one that has some of its cells.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/parts/cells_of_vertices.h"

namespace weft {

// The facets all of whose cells are there. `cells`: of `from`; `place`: [cell in their row]: in its
// set of `to`, -1: it is not there.
void copy_facets(const Mesh &from, const CellsOfVertices &cells,
                 const std::vector<std::int32_t> &place, Mesh &to);

// All groups of points and of edges, with the nodes that are there, and the edges both of whose
// ends are. `place`: [node]: in `to`, or -1.
void copy_points_and_edges(const Mesh &from, const std::vector<std::int32_t> &place, Mesh &to);

} // namespace weft
