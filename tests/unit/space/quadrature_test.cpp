// Every rule integrates every monomial of its degree, with positive weights and points inside.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "space/quadrature.h"

using namespace weft;

namespace {

double factorial(int n) {
  return n <= 1 ? 1 : n * factorial(n - 1);
}

// Integral of x^a y^b z^c over the reference cell, by hand.
double exact_monomial(CellType cell, int a, int b, int c) {
  const auto simplex = [](std::initializer_list<int> e) {
    double top = 1;
    int sum = 0;
    for (const int k : e) {
      top *= factorial(k);
      sum += k;
    }
    return top / factorial(sum + static_cast<int>(e.size()));
  };
  switch (cell) {
  case CellType::interval:
    return 1.0 / (a + 1);
  case CellType::triangle:
    return simplex({a, b});
  case CellType::quadrilateral:
    return 1.0 / ((a + 1) * (b + 1));
  case CellType::tetrahedron:
    return simplex({a, b, c});
  case CellType::prism:
    return simplex({a, b}) / (c + 1);
  case CellType::hexahedron:
    return 1.0 / ((a + 1) * (b + 1) * (c + 1));
  default:
    return 1;
  }
}

bool tensor_in(CellType cell) {
  return cell == CellType::quadrilateral || cell == CellType::hexahedron ||
         cell == CellType::interval;
}

// Whether the rule of this degree must be exact for the monomial.
bool within_degree(CellType cell, int degree, int a, int b, int c) {
  if (tensor_in(cell))
    return std::max({a, b, c}) <= degree;
  if (cell == CellType::prism)
    return a + b <= degree && c <= degree;
  return a + b + c <= degree;
}

double integrate(const Quadrature &rule, int a, int b, int c) {
  double sum = 0;
  for (int q = 0; q < rule.num_points(); ++q) {
    const int e[3] = {a, b, c};
    double value = rule.weights[q];
    for (int d = 0; d < rule.dim; ++d)
      value *= std::pow(rule.points[q * rule.dim + d], e[d]);
    sum += value;
  }
  return sum;
}

const CellType cells[] = {CellType::interval,    CellType::triangle, CellType::quadrilateral,
                          CellType::tetrahedron, CellType::prism,    CellType::hexahedron};

} // namespace

TEST(quadrature, monomials_are_exact) {
  for (const CellType cell : cells)
    for (int degree = 0; degree <= 12; ++degree) {
      const Quadrature rule = make_quadrature(cell, degree);
      const int last_b = rule.dim > 1 ? degree : 0, last_c = rule.dim > 2 ? degree : 0;
      for (int a = 0; a <= degree; ++a)
        for (int b = 0; b <= last_b; ++b)
          for (int c = 0; c <= last_c; ++c)
            if (within_degree(cell, degree, a, b, c)) {
              ASSERT_NEAR(integrate(rule, a, b, c), exact_monomial(cell, a, b, c), 1e-14)
                  << to_string(cell) << " degree " << degree << ": " << a << b << c;
            }
    }
}

// What errors and non-linear terms of order 9 ask for.
TEST(quadrature, monomials_of_high_degree_are_exact) {
  for (const CellType cell : cells)
    for (const int degree : {20, 22}) {
      const Quadrature rule = make_quadrature(cell, degree);
      const std::vector<std::array<int, 3>> exponents = {{degree, 0, 0},     {0, degree, 0},
                                                         {0, 0, degree},     {7, 7, 6},
                                                         {degree - 2, 1, 1}, {3, 16, 1}};
      for (const auto &[a, b, c] : exponents) {
        const bool has_axes = (rule.dim > 1 || b == 0) && (rule.dim > 2 || c == 0);
        if (has_axes && within_degree(cell, degree, a, b, c)) {
          const double exact = exact_monomial(cell, a, b, c);
          ASSERT_NEAR(integrate(rule, a, b, c), exact, 1e-13 * exact)
              << to_string(cell) << " degree " << degree << ": " << a << ' ' << b << ' ' << c;
        }
      }
      for (std::size_t i = 0; i < rule.points.size(); ++i)
        ASSERT_TRUE(rule.points[i] > 0 && rule.points[i] < 1);
      for (const double weight : rule.weights)
        ASSERT_GT(weight, 0);
    }
}

TEST(quadrature, gauss_lobatto_rules_have_points_on_the_ends_and_their_degree) {
  for (const CellType cell : {CellType::interval, CellType::quadrilateral, CellType::hexahedron})
    for (int order = 1; order <= 8; ++order) {
      const int degree = 2 * order - 1;
      const Quadrature rule = make_quadrature(cell, degree, LinePoints::gauss_lobatto);
      EXPECT_EQ(rule.num_points(), std::pow(order + 1, rule.dim));
      EXPECT_EQ(*std::min_element(rule.points.begin(), rule.points.end()), 0);
      EXPECT_EQ(*std::max_element(rule.points.begin(), rule.points.end()), 1);
      const int b = rule.dim > 1 ? degree : 0, c = rule.dim > 2 ? degree : 0;
      EXPECT_NEAR(integrate(rule, degree, b, c), exact_monomial(cell, degree, b, c), 1e-15);
      EXPECT_GT(
          std::abs(integrate(rule, degree + 1, 0, 0) - exact_monomial(cell, degree + 1, 0, 0)),
          1e-10);
    }
}

TEST(quadrature, pyramid_of_polynomials_and_of_its_rational_functions) {
  for (int degree = 0; degree <= 10; ++degree) {
    const Quadrature rule = make_quadrature(CellType::pyramid, degree);
    // With s, t across and w = 1 - z, the integral of s^i t^j w^m is 1/((i+1)(j+1)(m+3)).
    for (int i = 0; i <= degree; ++i)
      for (int j = 0; j <= degree; ++j)
        for (int m = std::max(i, j); m <= degree; ++m) {
          double sum = 0;
          for (int q = 0; q < rule.num_points(); ++q) {
            const double *x = &rule.points[3 * q];
            const double w = 1 - x[2], s = (x[0] - x[2] / 2) / w, t = (x[1] - x[2] / 2) / w;
            sum += rule.weights[q] * std::pow(s, i) * std::pow(t, j) * std::pow(w, m);
          }
          ASSERT_NEAR(sum, 1.0 / ((i + 1) * (j + 1) * (m + 3)), 1e-14) << degree;
        }
  }
}

TEST(quadrature, weights_are_positive_points_inside_counts_as_published) {
  const int triangle_counts[] = {1, 1, 3, 6, 6, 7, 12, 12, 16, 25, 25};
  const int tetrahedron_counts[] = {1, 1, 4, 6, 11, 14, 24, 35, 46};
  for (int degree = 0; degree <= 10; ++degree)
    EXPECT_EQ(make_quadrature(CellType::triangle, degree).num_points(), triangle_counts[degree]);
  for (int degree = 0; degree <= 8; ++degree)
    EXPECT_EQ(make_quadrature(CellType::tetrahedron, degree).num_points(),
              tetrahedron_counts[degree]);
  for (const CellType cell : cells)
    for (int degree = 0; degree <= 12; ++degree) {
      const Quadrature rule = make_quadrature(cell, degree);
      double sum = 0;
      for (int q = 0; q < rule.num_points(); ++q) {
        ASSERT_GT(rule.weights[q], 0);
        sum += rule.weights[q];
        for (int d = 0; d < rule.dim; ++d) {
          ASSERT_GT(rule.points[q * rule.dim + d], 0);
          ASSERT_LT(rule.points[q * rule.dim + d], 1);
        }
      }
      ASSERT_NEAR(sum, reference_volume(cell), 1e-14);
    }
}

// The divergence theorem on the reference cell: the flux of x through all facets is dim * volume.
// It fails unless points, weights, tangents and the facets' orientation are all right.
TEST(quadrature, facets_close_the_cell) {
  for (const CellType cell : {CellType::triangle, CellType::quadrilateral, CellType::tetrahedron,
                              CellType::pyramid, CellType::prism, CellType::hexahedron}) {
    const int dim = dimension(cell);
    double flux = 0;
    for (int f = 0; f < num_facets(cell); ++f) {
      const FacetQuadrature rule = make_facet_quadrature(cell, f, 2);
      const auto &t = rule.tangents;
      ASSERT_EQ(t.size(), static_cast<std::size_t>(dim * (dim - 1)));
      double normal[3] = {t[1], -t[0], 0};
      if (dim == 3)
        for (int d = 0; d < 3; ++d) {
          const int a = (d + 1) % 3, b = (d + 2) % 3;
          normal[d] = t[a] * t[3 + b] - t[b] * t[3 + a];
        }
      for (int q = 0; q < rule.points.num_points(); ++q)
        for (int d = 0; d < dim; ++d)
          flux += rule.points.weights[q] * rule.points.points[q * dim + d] * normal[d];
    }
    EXPECT_NEAR(flux, dim * reference_volume(cell), 1e-14) << to_string(cell);
  }
}
