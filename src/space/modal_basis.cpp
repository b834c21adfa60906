#include "space/modal_basis.h"

#include <array>
#include <cmath>

namespace weft {

namespace {

// A number and its gradient.
struct Jet {
  double value = 0;
  std::array<double, 3> slope{};
};

Jet operator+(const Jet &a, const Jet &b) {
  Jet r{a.value + b.value, {}};
  for (int d = 0; d < 3; ++d)
    r.slope[d] = a.slope[d] + b.slope[d];
  return r;
}

Jet operator*(double s, const Jet &a) {
  return {s * a.value, {s * a.slope[0], s * a.slope[1], s * a.slope[2]}};
}

Jet operator*(const Jet &a, const Jet &b) {
  Jet r{a.value * b.value, {}};
  for (int d = 0; d < 3; ++d)
    r.slope[d] = a.value * b.slope[d] + a.slope[d] * b.value;
  return r;
}

// w^n P_n^(alpha,0)(a / w) for n = 0 .. last: the recurrence of Jacobi's polynomials times w^n.
std::vector<Jet> homogeneous_jacobi(int last, int alpha, const Jet &a, const Jet &w) {
  std::vector<Jet> h = {{1, {}}};
  if (last > 0)
    h.push_back(0.5 * alpha * w + 0.5 * (alpha + 2) * a);
  const Jet w2 = w * w;
  for (int n = 1; n < last; ++n) {
    const double m = 2 * n + alpha;
    const double next = 2 * (n + 1) * (n + alpha + 1) * m;
    h.push_back(((m + 1) / next) * (((m + 2) * m * a + double(alpha) * alpha * w) * h[n]) +
                (-2.0 * (n + alpha) * n * (m + 2) / next) * (w2 * h[n - 1]));
  }
  return h;
}

// The modes at one point, the degree along axis 0 slowest.
class ModesAtPoint {
public:
  ModesAtPoint(int dim, int order, const double *x) : dim_(dim), order_(order) {
    Jet w{1, {}};
    for (int d = dim - 1; d >= 0; --d) {
      Jet along{x[d], {}};
      along.slope[d] = 1;
      w_[d] = w;
      a_[d] = 2 * along + -1 * w;
      w = w + -1 * along;
    }
    add(0, 0, {1, {}});
  }
  std::vector<Jet> modes;

private:
  void add(int d, int sum, const Jet &product) {
    if (d == dim_) {
      modes.push_back(product);
      return;
    }
    const auto ladder = homogeneous_jacobi(order_ - sum, 2 * sum + d, a_[d], w_[d]);
    for (int n = 0; sum + n <= order_; ++n)
      // The squares of the factors integrate to 1 / (2 (n_0 + ... + n_d) + d + 1).
      add(d + 1, sum + n, std::sqrt(2.0 * (sum + n) + d + 1) * (product * ladder[n]));
  }

  int dim_, order_;
  // Along axis d, w = 1 - (x_{d+1} + ...) is the longest that x_d can be, and a = 2 x_d - w.
  std::array<Jet, 3> a_, w_;
};

} // namespace

void simplex_modes(int dim, int order, std::span<const double> points, std::vector<double> &values,
                   std::vector<double> &gradients) {
  values.clear();
  gradients.clear();
  for (std::size_t q = 0; q < points.size(); q += dim)
    for (const Jet &mode : ModesAtPoint(dim, order, &points[q]).modes) {
      values.push_back(mode.value);
      gradients.insert(gradients.end(), mode.slope.begin(), mode.slope.begin() + dim);
    }
}

} // namespace weft
