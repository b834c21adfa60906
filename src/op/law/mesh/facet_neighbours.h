// What one side of a facet knows of the other, while a DgMesh is made.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/mesh.h"

namespace weft {

struct FacetNeighbour {
  FacetRef plus;
  int row = 0;
  int condition = -1;
  std::int32_t facet_class = 0;
};

// Neighbours across all facets of all sets: [set][cell, facet].
using FacetNeighbours = std::vector<std::vector<FacetNeighbour>>;

} // namespace weft
