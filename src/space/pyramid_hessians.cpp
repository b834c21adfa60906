#include <algorithm>
#include <array>
#include <cmath>

#include "space/basis.h"

namespace weft {

namespace {

// A number with its first and second derivatives by place.
struct Jet2 {
  double value = 0;
  std::array<double, 3> slope{};
  std::array<double, 9> bend{};
};

Jet2 operator*(const Jet2 &a, const Jet2 &b) {
  Jet2 r{a.value * b.value, {}, {}};
  for (int d = 0; d < 3; ++d) {
    r.slope[d] = a.value * b.slope[d] + a.slope[d] * b.value;
    for (int d2 = 0; d2 < 3; ++d2)
      r.bend[3 * d + d2] = a.value * b.bend[3 * d + d2] + a.bend[3 * d + d2] * b.value +
                           a.slope[d] * b.slope[d2] + a.slope[d2] * b.slope[d];
  }
  return r;
}

Jet2 linear(double value, const std::array<double, 3> &slope) {
  return {value, slope, {}};
}

// w^n along z, w = 1 - z.
Jet2 power_of_width(double z, int n) {
  const double w = 1 - z;
  Jet2 r{std::pow(w, n), {}, {}};
  r.slope[2] = n == 0 ? 0 : -n * std::pow(w, n - 1);
  r.bend[8] = n == 0 || n == 1 ? 0 : n * (n - 1) * std::pow(w, n - 2);
  return r;
}

Jet2 power(const Jet2 &base, int n) {
  return n == 0 ? linear(1, {}) : base * power(base, n - 1);
}

// w^n P_n(a / w) for n up to 2.
Jet2 legendre(int n, const Jet2 &a, const Jet2 &w2) {
  if (n < 2)
    return n == 0 ? linear(1, {}) : a;
  Jet2 r = a * a;
  r.value = (3 * r.value - w2.value) / 2;
  for (int d = 0; d < 3; ++d)
    r.slope[d] = (3 * r.slope[d] - w2.slope[d]) / 2;
  for (int entry = 0; entry < 9; ++entry)
    r.bend[entry] = (3 * r.bend[entry] - w2.bend[entry]) / 2;
  return r;
}

} // namespace

// The factors w^max(i,j) of pyramid_modes() are shared out: P_i(s) w^i and P_j(t) w^j are
// polynomials, and w^-min(i,j) is left.
std::vector<double> pyramid_mode_hessians(int order, const double *point) {
  const Jet2 a = linear(2 * point[0] - 1, {2, 0, 0}), b = linear(2 * point[1] - 1, {0, 2, 0});
  const Jet2 z = linear(point[2], {0, 0, 1}), w2 = power_of_width(point[2], 2);
  std::vector<double> result;
  for (int i = 0; i <= order; ++i)
    for (int j = 0; j <= order; ++j)
      for (int k = 0; k <= order - std::max(i, j); ++k) {
        const Jet2 mode = legendre(i, a, w2) * legendre(j, b, w2) *
                          power_of_width(point[2], -std::min(i, j)) * power(z, k);
        result.insert(result.end(), mode.bend.begin(), mode.bend.end());
      }
  return result;
}

} // namespace weft
