// Gmsh's element types: which cell, which order, and how their nodes are listed.
#pragma once

#include <vector>

#include "mesh/cell_type.h"

namespace weft {

struct GmshElementType {
  int number = 0; // in the file
  CellType cell = CellType::point;
  int order = 1;
  std::vector<int> permutation; // ours[i] = Gmsh's[permutation[i]]
};

// The type with that number; null for those Weft does not read (serendipity, order 3 and up).
const GmshElementType *find_gmsh_element(std::int64_t number);
// The type for writing.
const GmshElementType &gmsh_element(CellType cell, int order);

} // namespace weft
