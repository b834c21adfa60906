// How a cell is split regularly into cells of half its size.
#pragma once

#include <array>
#include <vector>

#include "mesh/cell_type.h"

namespace weft {

// A part of a cell. Its vertices are nodes of order 2 of the cell, and it is affine in the cell's
// reference coordinates.
struct CellChild {
  CellType type;
  std::vector<int> vertices; // local nodes of the cell, of order 2
};

// The ends of the three diagonals of the octahedron that is left when the corners of a tetrahedron
// are cut off: local nodes of order 2.
inline constexpr std::array<std::array<int, 2>, 3> octahedron_diagonals = {
    {{6, 8}, {4, 9}, {5, 7}}};

// Intervals in 2, triangles and quadrilaterals in 4, tetrahedra, prisms and hexahedra in 8 of their
// own type, pyramids in 6 pyramids and 4 tetrahedra. `diagonal`: of tetrahedra, the one that the
// four inner ones share (Bey 1995, doi:10.1007/BF02238487); of other cells 0. Children are oriented
// as the cell is.
const std::vector<CellChild> &cell_children(CellType cell, int diagonal = 0);

// Reference coordinates of the nodes of order 2: [node, dim].
const std::vector<double> &second_order_coordinates(CellType cell);

// The basis functions of order 2 at a point in reference coordinates, [node]. Not of pyramids,
// whose basis is rational.
std::vector<double> second_order_basis(CellType cell, const double *x);

} // namespace weft
