// A mesh whose vertices are the nodes of an element of high order.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/mesh.h"
#include "space/node_map.h"

namespace weft {

struct LowOrderMesh {
  Mesh mesh;                            // of geometry order 1
  std::vector<std::int32_t> fine_nodes; // [node of the mesh]: its number in the map
};

// Divides quadrilaterals and hexahedra at the lines of their nodes, into order^dim cells each,
// which follow one another and are in the region of theirs; parts of a boundary facet are in its
// class, of a named edge in its groups (Orszag 1980, doi:10.1016/0021-9991(80)90005-4). Facets
// inside that carry a group are left out. Nodes that periodicity makes one are so in the mesh.
// `map`: make_node_map() of `mesh` and an order above 0.
LowOrderMesh make_low_order_mesh(const Mesh &mesh, const NodeMap &map);

} // namespace weft
