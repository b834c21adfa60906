// Reflections of simplices that keep their nodal operators, and the classes they sort values into.
//
// A triangle is the same with its first two vertices exchanged, a tetrahedron with its first two,
// its last two, or both. Nodes that these exchange make an orbit, of 1, 2 or 4. Sums and
// differences of the values in an orbit keep or change their sign under each reflection: those that
// do so alike make a class (the irreducible representations of Z2 or Z2 x Z2). Reference matrices
// have no entries between classes other than those that a derivative's own sign says: in these
// bases they have about a half, or a quarter, of the entries that they have between nodes.
#pragma once

#include <vector>

#include "space/nodal_operators.h"

namespace weft {

// Points, orbit by orbit: `fours` orbits of four, `twos` of two, the rest of one. Combination i of
// an orbit, which takes the place of its point i, is
//   of four:  the sum over h of (-1)^(number of bits of i & h) times point h
//   of two:   the sum, the difference
//   of one:   the point
// Points lie at the nodes of classes.
struct SymmetricPoints {
  std::vector<int> points;  // [place]
  std::vector<int> classes; // [place]: of the combination there
  int fours = 0, twos = 0;

  int size() const { return static_cast<int>(points.size()); }
  int orbit_size(int place) const {
    return place < 4 * fours ? 4 : place < 4 * fours + 2 * twos ? 2 : 1;
  }
  int orbit_first(int place) const; // the place of the first point of the orbit
  // Sign of point `other` of the orbit in the combination at `place`, both places: 1 or -1.
  int sign(int place, int other) const;
  double additions() const { return 8.0 * fours + 2.0 * twos; } // that make all combinations
};

struct NodalSymmetry {
  int classes = 1; // 2 (triangle), 4 (tetrahedron): bit b says that reflection b changes the sign
  // Directions with a class each, as sums of the reference cell's coordinates:
  // [axis, reference direction]; and the class by which a derivative along it changes a value's.
  std::vector<double> axes;
  std::vector<int> axis_class;
  SymmetricPoints nodes, facet_points;
};

bool has_nodal_symmetry(CellType cell); // triangles and tetrahedra

// Takes such a cell's operators of order 1 or more.
NodalSymmetry make_nodal_symmetry(const NodalOperators &operators);

// The matrix between combinations that a matrix between points is, entry by entry: `to` have the
// rows, `from` the columns, and combinations are turned back into points as points into
// combinations.
double between_combinations(const std::vector<double> &matrix, const SymmetricPoints &to,
                            int to_place, const SymmetricPoints &from, int from_place);

} // namespace weft
