// Boundary facets that lie on one another: the cells there meet in space, but share no nodes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "mesh/mesh.h"

namespace weft {

// Facets are indices into Mesh::facets, nodes those of the mesh; each list is sorted.
struct UnjoinedFacets {
  // Pairs with their vertices at the same places, as along a crack, or where parts of a geometry
  // were meshed alike without being made one.
  std::vector<std::pair<std::int32_t, std::int32_t>> doubled;
  // Vertices of such pairs that lie on another of their vertices: one of each group of them.
  std::vector<std::int32_t> double_nodes;
  // Pairs that face each other in a plane and overlap with other vertices: the centre of the first
  // lies in the second.
  std::vector<std::pair<std::int32_t, std::int32_t>> overlapping;
  // Vertices of one of such a pair that lie in the other and are none of its vertices.
  std::vector<std::int32_t> hanging_nodes;
};

// Looks at boundary facets alone, of which such facets are; facets and nodes that periodicity makes
// one are joined. Facets of order 2 are taken as straight ones. The time grows with the number of
// facets.
UnjoinedFacets find_unjoined_facets(const Mesh &mesh);

} // namespace weft
