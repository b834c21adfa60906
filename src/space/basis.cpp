#include "space/basis.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "space/nodal_element.h"

namespace weft {

namespace {

constexpr int max_dim = 3;

// f_a(l) = prod_{j<a} (p l - j) / (j + 1), which is 1 at l = a/p and 0 at j/p for j < a.
std::array<double, 2> lattice_factor(int p, int a, double l) {
  double value = 1, derivative = 0;
  for (int j = 0; j < a; ++j) {
    derivative = (derivative * (p * l - j) + value * p) / (j + 1);
    value *= (p * l - j) / (j + 1);
  }
  return {value, derivative};
}

// Lagrange function on the unit simplex of the node at lattice / p: the product of f over the
// barycentric coordinates l_0 = 1 - sum(x), l_1 = x_0, ... Returns its value, fills its gradient.
double simplex_function(int p, int dim, const int *lattice, const double *x, double *gradient) {
  std::array<std::array<double, 2>, max_dim + 1> f;
  double l0 = 1;
  int a0 = p;
  for (int d = 0; d < dim; ++d) {
    l0 -= x[d];
    a0 -= lattice[d];
    f[d + 1] = lattice_factor(p, lattice[d], x[d]);
  }
  f[0] = lattice_factor(p, a0, l0);
  std::array<double, max_dim + 1> slope; // with respect to each barycentric coordinate
  double value = 1;
  for (int v = 0; v <= dim; ++v) {
    value *= f[v][0];
    slope[v] = f[v][1];
    for (int w = 0; w <= dim; ++w)
      slope[v] *= w == v ? 1 : f[w][0];
  }
  for (int d = 0; d < dim; ++d)
    gradient[d] = slope[d + 1] - slope[0];
  return value;
}

// The product over the cell's simplex factors.
double product_function(int p, const std::vector<CellType> &factors, const int *lattice,
                        const double *x, double *gradient) {
  double value = 1;
  int first = 0;
  for (const CellType factor_type : factors) {
    const int dim = dimension(factor_type);
    std::array<double, max_dim> inner;
    const double factor = simplex_function(p, dim, lattice + first, x + first, inner.data());
    for (int d = 0; d < first; ++d)
      gradient[d] *= factor;
    for (int d = 0; d < dim; ++d)
      gradient[first + d] = value * inner[d];
    value *= factor;
    first += dim;
  }
  return value;
}

// Legendre polynomials and their derivatives up to order 2.
std::array<double, 2> legendre(int n, double s) {
  if (n == 0)
    return {1, 0};
  return n == 1 ? std::array<double, 2>{s, 1} : std::array<double, 2>{(3 * s * s - 1) / 2, 3 * s};
}

double power(double x, int n) {
  return n <= 0 ? 1 : x * power(x, n - 1);
}

// Of elements above highest_equispaced_order: the functions of the nodal element that has the same
// nodes, in another order.
void tabulate_as_nodal(const Element &element, std::span<const double> points,
                       std::vector<double> &phi, std::vector<double> &dphi) {
  const int dim = dimension(element.cell), n = element.num_nodes();
  const std::vector<int> number = nodal_numbers(element);
  std::vector<double> values, gradients;
  tabulate_nodal(make_nodal_element(element.cell, element.order, LineNodes::lobatto), points,
                 values, gradients);
  for (std::size_t q = 0; q < phi.size(); q += n)
    for (int i = 0; i < n; ++i) {
      phi[q + i] = values[q + number[i]];
      for (int d = 0; d < dim; ++d)
        dphi[(q + i) * dim + d] = gradients[(q + number[i]) * dim + d];
    }
}

void tabulate_pyramid(const Element &element, const double *x, double *phi, double *dphi) {
  const int n = element.num_nodes();
  std::vector<double> values, gradients;
  pyramid_modes(element.order, x, values, gradients);
  for (int i = 0; i < n; ++i) {
    phi[i] = dphi[3 * i] = dphi[3 * i + 1] = dphi[3 * i + 2] = 0;
    for (int m = 0; m < n; ++m) {
      const double c = element.basis_coefficients[m * n + i];
      phi[i] += c * values[m];
      for (int d = 0; d < 3; ++d)
        dphi[3 * i + d] += c * gradients[3 * m + d];
    }
  }
}

} // namespace

void pyramid_modes(int order, const double *point, std::vector<double> &values,
                   std::vector<double> &gradients) {
  const double z = point[2], w = 1 - z;
  const bool apex = std::abs(w) < 1e-14;
  // The cross-section is |2x - 1| <= w, so s = (2x - 1) / w does not change along the rays
  // to the apex: ds/dx = 2 / w, ds/dz = s / w; and likewise t.
  const double s = apex ? 0 : (2 * point[0] - 1) / w;
  const double t = apex ? 0 : (2 * point[1] - 1) / w;
  values.clear();
  gradients.clear();
  for (int i = 0; i <= order; ++i)
    for (int j = 0; j <= order; ++j) {
      const int m = std::max(i, j);
      const auto [ps, dps] = legendre(i, s);
      const auto [pt, dpt] = legendre(j, t);
      const double wm = power(w, m);
      const double wm1 = m == 0 ? 0 : power(w, m - 1); // times zero where m = 0
      for (int k = 0; k <= order - m; ++k) {
        const double zk = power(z, k);
        values.push_back(ps * pt * wm * zk);
        gradients.push_back(2 * dps * pt * wm1 * zk);
        gradients.push_back(2 * ps * dpt * wm1 * zk);
        gradients.push_back((s * dps * pt + t * ps * dpt - m * ps * pt) * wm1 * zk +
                            ps * pt * wm * (k == 0 ? 0 : k * power(z, k - 1)));
      }
    }
}

std::vector<int> nodal_numbers(const Element &element) {
  const int dim = dimension(element.cell), p = element.order;
  const std::vector<double> equispaced = equispaced_nodes(element);
  std::vector<int> numbers;
  for (int i = 0; i < element.num_nodes(); ++i) {
    const auto lattice = [&](int d) {
      return static_cast<int>(std::lround(equispaced[i * dim + d] * p));
    };
    int number = 0, stride = 1, first = 0;
    for (const CellType factor : simplex_factors(element.cell)) {
      if (factor == CellType::interval) {
        number += lattice(first) * stride;
        stride *= p + 1;
      } else { // a triangle: rows of p + 1, p, ... nodes
        const int row = lattice(first + 1);
        number += (row * (p + 1) - row * (row - 1) / 2 + lattice(first)) * stride;
        stride *= (p + 1) * (p + 2) / 2;
      }
      first += dimension(factor);
    }
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<double> pyramid_coefficients(const Element &element) {
  const int n = element.num_nodes();
  Eigen::MatrixXd modes(n, n); // [node, mode]
  std::vector<double> values, gradients;
  for (int node = 0; node < n; ++node) {
    pyramid_modes(element.order, &element.nodes[3 * node], values, gradients);
    require(static_cast<int>(values.size()) == n, "a pyramid has as many modes as nodes");
    for (int m = 0; m < n; ++m)
      modes(node, m) = values[m];
  }
  const Eigen::MatrixXd inverse = modes.fullPivLu().inverse();
  std::vector<double> coefficients(n * n);
  for (int m = 0; m < n; ++m)
    for (int i = 0; i < n; ++i)
      coefficients[m * n + i] = inverse(m, i);
  return coefficients;
}

void Element::tabulate(std::span<const double> points, std::vector<double> &phi,
                       std::vector<double> &dphi) const {
  const int dim = dimension(cell), n = num_nodes();
  const std::size_t num_points = dim == 0 ? 1 : points.size() / dim;
  phi.assign(num_points * n, 1.0);
  dphi.assign(num_points * n * dim, 0.0);
  if (order == 0 || dim == 0)
    return;
  if (nodal) {
    tabulate_nodal(*this, points, phi, dphi);
    return;
  }
  if (order > highest_equispaced_order) {
    tabulate_as_nodal(*this, points, phi, dphi);
    return;
  }
  const auto factors = simplex_factors(cell);
  std::vector<int> lattice(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    lattice[i] = static_cast<int>(std::lround(nodes[i] * order));
  for (std::size_t q = 0; q < num_points; ++q) {
    const double *x = &points[q * dim];
    if (cell == CellType::pyramid) {
      tabulate_pyramid(*this, x, &phi[q * n], &dphi[q * n * dim]);
      continue;
    }
    for (int i = 0; i < n; ++i)
      phi[q * n + i] =
          product_function(order, factors, &lattice[i * dim], x, &dphi[(q * n + i) * dim]);
  }
}

} // namespace weft
