// Elements of quadrilaterals and hexahedra as products of functions on lines, and the matrices of
// sum factorisation: sums over one direction at a time (Orszag 1980,
// doi:10.1016/0021-9991(80)90005-4).
#pragma once

#include <vector>

#include "space/element.h"

namespace weft {

// The functions of a product element in one direction: those that are 1 at one node of the line.
struct LineBasis {
  std::vector<double> nodes; // ascending, in [0, 1]
  // [node, x fastest, then y, z]: its number in the element.
  std::vector<int> element_nodes;
  int num_nodes() const { return static_cast<int>(nodes.size()); }
  // Values and derivatives at points of [0, 1]: [point][node].
  void tabulate(const std::vector<double> &points, std::vector<double> &values,
                std::vector<double> &derivatives) const;
};

// Whether an element is such a product: a quadrilateral's or hexahedron's of order 1 and above.
bool has_line_basis(const Element &element);
// Throws `invariant` where it is none.
LineBasis line_basis(const Element &element);

// A matrix M whose rows and columns are symmetric about their middles, M[R-1-a][C-1-b] = s M[a][b]
// with s = 1 (values) or -1 (derivatives), as half as many products need it (even-odd
// decomposition; Solomonoff 1992, doi:10.1016/0021-9991(92)90411-8). With e_b = u_b + u_{C-1-b}
// (the middle one alone) and o_b = u_b - u_{C-1-b},
//   (M u)_a = p_a + q_a and (M u)_{R-1-a} = p_a - q_a; the middle one is p_a,
// where p = first e and q = second o for s = 1, p = first o and q = second e for s = -1.
struct FoldedMatrix {
  int rows = 0, columns = 0; // of M
  bool odd = false;          // s = -1
  std::vector<double> first, second;
  // Of `first` and `second`.
  int first_rows() const { return (rows + 1) / 2; }
  int second_rows() const { return rows / 2; }
  int first_columns() const { return odd ? columns / 2 : (columns + 1) / 2; }
  int second_columns() const { return odd ? (columns + 1) / 2 : columns / 2; }
};

// `matrix`: [row][column]. Throws `invariant` where it has not the symmetry.
FoldedMatrix fold(const std::vector<double> &matrix, int rows, int columns, bool odd);

} // namespace weft
