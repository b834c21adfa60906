#include "solve/multigrid/inner_stopping.h"

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

constexpr int growth = 4;
constexpr int most_iterations = 512;

} // namespace

int choose_iterations(const InnerContraction &measured, double update_cost) {
  const int least = std::max(1, measured.iterations / growth);
  const int most = std::min(most_iterations, growth * measured.iterations);
  if (!(measured.inner < 1)) // does not contract yet, or never (or is not finite)
    return std::isfinite(measured.inner) ? most : least;
  const double q = std::pow(std::max(measured.inner, 1e-300), 1.0 / measured.iterations);
  const double floor = std::max(0.0, measured.outer - measured.inner);
  int best = least;
  double best_rate = 0;
  for (int m = least; m <= most; ++m) {
    const double rate = -std::log(std::pow(q, m) + floor) / (update_cost + m);
    if (rate > best_rate) {
      best_rate = rate;
      best = m;
    }
  }
  return best;
}

} // namespace weft
