// The ways in which a reference cell can be laid on itself.
#pragma once

#include <vector>

#include "space/element.h"

namespace weft {

// An affine map of a reference cell onto itself, a reflection perhaps.
struct CellSymmetry {
  std::vector<int> vertices;  // [vertex]: the one that it is taken to
  std::vector<double> matrix; // [row, column] of dim rows
  std::vector<double> shift;  // [row]
};

// All of a cell type, the identity first: 6 of triangles, 8 of quadrilaterals and pyramids, 12 of
// prisms, 24 of tetrahedra, 48 of hexahedra.
const std::vector<CellSymmetry> &cell_symmetries(CellType cell);

// [node]: the element's node that is taken to it. Elements have the symmetries of their cells.
std::vector<int> nodes_taken(const Element &element, const CellSymmetry &symmetry);

} // namespace weft
