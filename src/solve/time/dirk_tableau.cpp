#include "solve/time/dirk_tableau.h"

#include <cmath>

#include "base/error.h"

namespace weft {

namespace {

const double diagonal_2 = 1 - std::sqrt(0.5);
constexpr double diagonal_3 = 0.43586652150845899942; // of x^3 - 3x^2 + 3x/2 - 1/6
constexpr double diagonal_4 = 0.25;

DirkTableau completed(DirkTableau tableau) {
  for (std::vector<double> &row : tableau.a) {
    double sum = 0;
    for (const double entry : row)
      sum += entry;
    tableau.c.push_back(sum);
    row.resize(tableau.a.size());
  }
  tableau.c.back() = 1;
  return tableau;
}

DirkTableau tr_bdf2() {
  const double g = diagonal_2, w = std::sqrt(2.0) / 4;
  return {.order = 2,
          .a = {{0}, {g, g}, {w, w, g}},
          .c = {},
          .embedded = {(1 - w) / 3, (3 * w + 1) / 3, g / 3},
          .error_order = 2};
}

// From its abscissae and its diagonal: stages of order 2, and conditions up to order 3.
DirkTableau esdirk3() {
  const double g = diagonal_3, c2 = 2 * g, c3 = 0.6;
  const double a32 = (c3 * c3 / 2 - g * c3) / c2;
  const double b3 = ((1.0 / 3 - g) - c2 * (0.5 - g)) / (c3 * (c3 - c2));
  const double b2 = (0.5 - g - b3 * c3) / c2;
  return {.order = 3,
          .a = {{0}, {g, g}, {c3 - g - a32, a32, g}, {1 - g - b2 - b3, b2, b3, g}},
          .c = {},
          .embedded = {2756255671327.0 / 12835298489170, -10771552573575.0 / 22201958757719,
                       9247589265047.0 / 10645013368117, 2193209047091.0 / 5459859503100},
          .error_order = 2};
}

DirkTableau esdirk4() {
  const double g = diagonal_4;
  return {.order = 4,
          .a = {{0},
                {g, g},
                {8611.0 / 62500, -1743.0 / 31250, g},
                {5012029.0 / 34652500, -654441.0 / 2922500, 174375.0 / 388108, g},
                {15267082809.0 / 155376265600, -71443401.0 / 120774400, 730878875.0 / 902184768,
                 2285395.0 / 8070912, g},
                {82889.0 / 524892, 0, 15625.0 / 83664, 69875.0 / 102672, -2260.0 / 8211, g}},
          .c = {},
          .embedded = {4586570599.0 / 29645900160, 0, 178811875.0 / 945068544,
                       814220225.0 / 1159782912, -3700637.0 / 11593932, 61727.0 / 225920},
          .error_order = 3};
}

} // namespace

DirkTableau make_dirk(TimeScheme scheme) {
  switch (scheme) {
  case TimeScheme::dirk2:
    return completed(tr_bdf2());
  case TimeScheme::dirk3:
    return completed(esdirk3());
  default:
    require(scheme == TimeScheme::dirk4, "a diagonally implicit Runge-Kutta scheme");
    return completed(esdirk4());
  }
}

DirkTableau make_starting_dirk(TimeScheme scheme) {
  DirkTableau tableau;
  if (scheme == TimeScheme::dirk2) {
    const double g = diagonal_2;
    tableau = {.order = 2, .a = {{g}, {1 - g, g}}};
  } else if (scheme == TimeScheme::dirk3) {
    const double g = diagonal_3;
    tableau = {.order = 3,
               .a = {{g},
                     {(1 - g) / 2, g},
                     {-(6 * g * g - 16 * g + 1) / 4, (6 * g * g - 20 * g + 5) / 4, g}}};
  } else {
    const double g = diagonal_4;
    tableau = {.order = 4,
               .a = {{g},
                     {0.5, g},
                     {17.0 / 50, -1.0 / 25, g},
                     {371.0 / 1360, -137.0 / 2720, 15.0 / 544, g},
                     {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, g}}};
  }
  return completed(tableau);
}

} // namespace weft
