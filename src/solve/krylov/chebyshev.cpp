#include "solve/krylov/chebyshev.h"

namespace weft {

std::vector<SmootherStep> chebyshev_steps(double lower, double upper, int terms) {
  const double centre = (upper + lower) / 2, radius = (upper - lower) / 2;
  std::vector<SmootherStep> steps = {{.c1 = 0, .c2 = 1 / centre, .reads_w = false}};
  double rho = radius / centre;
  for (int term = 1; term < terms; ++term) {
    const double next = 1 / (2 * centre / radius - rho);
    steps.push_back({.c1 = next * rho, .c2 = 2 * next / radius});
    rho = next;
  }
  steps.back().keeps_w = false;
  return steps;
}

} // namespace weft
