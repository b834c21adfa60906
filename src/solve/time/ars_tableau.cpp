#include "solve/time/ars_tableau.h"

#include <cmath>
#include <numeric>

#include "base/error.h"

namespace weft {

namespace {

ArsTableau ars_222() {
  const double g = 1 - std::sqrt(0.5), d = 1 - 1 / (2 * g);
  return {.a = {{g}, {1 - g, g}}, .explicit_a = {{g}, {d, 1 - d}}, .c = {}};
}

ArsTableau ars_443() {
  return {.a = {{1.0 / 2},
                {1.0 / 6, 1.0 / 2},
                {-1.0 / 2, 1.0 / 2, 1.0 / 2},
                {3.0 / 2, -3.0 / 2, 1.0 / 2, 1.0 / 2}},
          .explicit_a = {{1.0 / 2},
                         {11.0 / 18, 1.0 / 18},
                         {5.0 / 6, -5.0 / 6, 1.0 / 2},
                         {1.0 / 4, 7.0 / 4, 3.0 / 4, -7.0 / 4}},
          .c = {}};
}

} // namespace

ArsTableau make_ars(TimeScheme scheme) {
  require(scheme == TimeScheme::ars2 || scheme == TimeScheme::ars3,
          "an additive Runge-Kutta scheme");
  ArsTableau tableau = scheme == TimeScheme::ars2 ? ars_222() : ars_443();
  for (const std::vector<double> &row : tableau.a)
    tableau.c.push_back(std::accumulate(row.begin(), row.end(), 0.0));
  tableau.c.back() = 1;
  return tableau;
}

} // namespace weft
