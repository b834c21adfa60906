#include "space/gauss_lobatto.h"

#include <cmath>
#include <numbers>

namespace weft {

namespace {

struct LegendrePair {
  double previous, last; // P_{n-1}(s), P_n(s)
};

LegendrePair legendre_pair(int n, double s) {
  LegendrePair p = {1, s};
  for (int k = 2; k <= n; ++k)
    p = {p.last, ((2 * k - 1) * s * p.last - (k - 1) * p.previous) / k};
  return p;
}

} // namespace

GaussLobatto gauss_lobatto(int order) {
  if (order == 0)
    return {{0.5}, {1.0}};
  const int n = order;
  GaussLobatto rule{std::vector<double>(n + 1), std::vector<double>(n + 1)};
  for (int i = 0; 2 * i <= n; ++i) {
    // Zeros of (1 - s^2) P_n' = n (P_{n-1} - s P_n) by Newton's method, whose derivative is
    // -n (n + 1) P_n; from Chebyshev's points it doubles the digits in every step.
    double s = -std::cos(std::numbers::pi * i / n);
    for (int step = 0; step < 8; ++step) {
      const auto [previous, last] = legendre_pair(n, s);
      s += (previous - s * last) / ((n + 1) * last);
    }
    if (i == 0)
      s = -1;
    if (2 * i == n)
      s = 0;
    const double last = legendre_pair(n, s).last;
    rule.points[i] = (1 + s) / 2;
    rule.points[n - i] = (1 - s) / 2;
    rule.weights[i] = rule.weights[n - i] = 1 / (n * (n + 1) * last * last);
  }
  return rule;
}

} // namespace weft
