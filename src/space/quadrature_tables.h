// Symmetric quadrature rules on simplices as orbits of points, in barycentric coordinates.
#pragma once

#include <array>
#include <vector>

namespace weft {

// Which arrangements of its barycentric coordinates an orbit's point stands for.
enum class Symmetry {
  full, // every distinct permutation
  turn, // the cyclic turns of the first three (one point where they are equal)
  none, // the point alone
};

struct QuadratureOrbit {
  double weight;                     // of each point; all points' weights sum to 1
  std::array<double, 4> barycentric; // the fourth is unused on triangles
};

struct SimplexRule {
  int degree;
  Symmetry symmetry;
  std::vector<QuadratureOrbit> orbits;
};

// Rules in order of degree, all weights positive, all points inside.
const std::vector<SimplexRule> &triangle_rules();
const std::vector<SimplexRule> &tetrahedron_rules();

} // namespace weft
