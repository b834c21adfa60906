// Diagonally implicit Runge-Kutta schemes that are L-stable and stiffly accurate: the last stage is
// the state at the end of the step.
#pragma once

#include <vector>

#include "solve/time/time_settings.h"

namespace weft {

struct DirkTableau {
  int order = 0;
  // [stage][stage]: row i of the scheme; entries on the diagonal are equal, but for a first stage
  // whose row is 0: the rate at the start of the step.
  std::vector<std::vector<double>> a;
  std::vector<double> c;        // [stage]
  std::vector<double> embedded; // [stage]: weights of another solution; empty: none
  int error_order = 0;          // the difference of both is of h^(error_order + 1)

  bool starts_with_rate() const { return a.front().front() == 0; }
};

// dirk2, dirk3, dirk4. Their first stage is the rate at the start of the step, known from the step
// before, and stages are of order 2: TR-BDF2 (Hosea and Shampine 1996,
// doi:10.1016/0168-9274(95)00115-8), ESDIRK3(2)4L[2]SA and ESDIRK4(3)6L[2]SA (Kennedy and Carpenter
// 2003, doi:10.1016/S0168-9274(02)00138-1).
DirkTableau make_dirk(TimeScheme scheme);
// The same order without a rate at the start, which the first step has not: of Alexander 1977
// (doi:10.1137/0714068) and of Hairer and Wanner 1996 (Solving Ordinary Differential Equations II,
// table 6.5); the same entry on the diagonal.
DirkTableau make_starting_dirk(TimeScheme scheme);

} // namespace weft
