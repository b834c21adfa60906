// Gauss-Lobatto rules on [0, 1].
#pragma once

#include <vector>

namespace weft {

struct GaussLobatto {
  std::vector<double> points; // ascending, symmetric about 1/2; the ends are among them
  std::vector<double> weights;
};

// The rule of order + 1 points, exact to degree 2 order - 1; of order 0 the midpoint rule.
GaussLobatto gauss_lobatto(int order);

} // namespace weft
