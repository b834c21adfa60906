// The elements are nodal, complete, and their gradients are derivatives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "space/element.h"
#include "space/quadrature.h"

using namespace weft;

namespace {

struct Case {
  CellType cell;
  int order;
};

int highest_order_of(CellType cell) {
  switch (cell) {
  case CellType::pyramid:
    return 2;
  case CellType::tetrahedron:
    return 4;
  case CellType::triangle:
  case CellType::prism:
    return 6;
  default:
    return 8;
  }
}

std::vector<Case> all_elements() {
  std::vector<Case> result;
  for (const CellType cell :
       {CellType::interval, CellType::triangle, CellType::quadrilateral, CellType::tetrahedron,
        CellType::pyramid, CellType::prism, CellType::hexahedron})
    for (int order = 1; order <= highest_order_of(cell); ++order)
      result.push_back({cell, order});
  return result;
}

// A polynomial of total degree p, and its gradient.
double polynomial(int p, const double *x, int dim) {
  double l = 0.3;
  for (int d = 0; d < dim; ++d)
    l += (0.7 - 0.4 * d) * x[d];
  return std::pow(l, p);
}
double polynomial_slope(int p, const double *x, int dim, int axis) {
  return p * (0.7 - 0.4 * axis) * polynomial(p, x, dim) / std::pow(polynomial(p, x, dim), 1.0 / p);
}

} // namespace

TEST(element, numbers_of_nodes) {
  EXPECT_EQ(make_element(CellType::triangle, 3).num_nodes(), 10);
  EXPECT_EQ(make_element(CellType::tetrahedron, 4).num_nodes(), 35);
  EXPECT_EQ(make_element(CellType::hexahedron, 4).num_nodes(), 125);
  EXPECT_EQ(make_element(CellType::prism, 2).num_nodes(), 18);
  EXPECT_EQ(make_element(CellType::pyramid, 1).num_nodes(), 5);
  EXPECT_EQ(make_element(CellType::pyramid, 2).num_nodes(), 14);
  EXPECT_EQ(make_element(CellType::point, 2).num_nodes(), 1);
  EXPECT_EQ(make_element(CellType::hexahedron, 0).num_nodes(), 1);
}

TEST(element, basis_is_nodal) {
  for (const auto &[cell, order] : all_elements()) {
    const Element e = make_element(cell, order);
    std::vector<double> phi, dphi;
    e.tabulate(e.nodes, phi, dphi);
    for (int q = 0; q < e.num_nodes(); ++q)
      for (int i = 0; i < e.num_nodes(); ++i)
        ASSERT_NEAR(phi[q * e.num_nodes() + i], q == i ? 1 : 0, 1e-13)
            << to_string(cell) << order << " node " << q << " function " << i;
  }
}

TEST(element, reproduces_polynomials_and_their_gradients) {
  for (const auto &[cell, order] : all_elements()) {
    const Element e = make_element(cell, order);
    const int dim = dimension(cell), n = e.num_nodes();
    const Quadrature rule = make_quadrature(cell, 5);
    std::vector<double> phi, dphi;
    e.tabulate(rule.points, phi, dphi);
    for (int q = 0; q < rule.num_points(); ++q) {
      double sum = 0, value = 0;
      std::vector<double> gradient(dim, 0.0);
      for (int i = 0; i < n; ++i) {
        const double u = polynomial(order, &e.nodes[i * dim], dim);
        sum += phi[q * n + i];
        value += u * phi[q * n + i];
        for (int d = 0; d < dim; ++d)
          gradient[d] += u * dphi[(q * n + i) * dim + d];
      }
      const double *x = &rule.points[q * dim];
      ASSERT_NEAR(sum, 1, 1e-13);
      ASSERT_NEAR(value, polynomial(order, x, dim), 1e-13) << to_string(cell) << order;
      for (int d = 0; d < dim; ++d)
        ASSERT_NEAR(gradient[d], polynomial_slope(order, x, dim, d), 1e-12)
            << to_string(cell) << order;
    }
  }
}

TEST(element, gradients_are_derivatives) {
  const double h = 1e-5;
  for (const auto &[cell, order] : all_elements()) {
    const Element e = make_element(cell, order);
    const int dim = dimension(cell), n = e.num_nodes();
    const double inside[3] = {0.31, 0.27, 0.13};
    std::vector<double> phi, dphi, right, left, unused;
    e.tabulate(std::span(inside, dim), phi, dphi);
    for (int d = 0; d < dim; ++d) {
      std::vector<double> x(inside, inside + dim);
      x[d] += h;
      e.tabulate(x, right, unused);
      x[d] -= 2 * h;
      e.tabulate(x, left, unused);
      for (int i = 0; i < n; ++i)
        ASSERT_NEAR(dphi[i * dim + d], (right[i] - left[i]) / (2 * h), 1e-7)
            << to_string(cell) << order;
    }
  }
}

TEST(element, pyramid_is_finite_at_and_near_the_apex) {
  for (const int order : {1, 2}) {
    const Element e = make_element(CellType::pyramid, order);
    for (const double below : {0.0, 1e-16, 1e-15, 1e-12, 1e-8}) {
      const double x[3] = {0.5, 0.5, 1 - below};
      std::vector<double> phi, dphi;
      e.tabulate(x, phi, dphi);
      double dz = 0;
      for (int i = 0; i < e.num_nodes(); ++i) {
        EXPECT_NEAR(phi[i], i == 4 ? 1 : 0, 1e-6);
        dz += e.nodes[3 * i + 2] * dphi[3 * i + 2];
      }
      EXPECT_NEAR(dz, 1, 1e-12); // the gradient of the interpolated z
    }
  }
}

TEST(element, facet_nodes_lie_on_the_facet_in_the_facets_order) {
  for (const auto &[cell, order] : all_elements()) {
    const int dim = dimension(cell);
    if (dim == 1)
      continue;
    const Element e = make_element(cell, order);
    for (int f = 0; f < num_facets(cell); ++f) {
      const auto nodes = e.facet_nodes(f);
      const Element on_facet = make_element(facet_type(cell, f), order);
      const auto corners = facet_vertices(cell, f);
      const auto reference = reference_vertices(cell);
      const FacetQuadrature rule = make_facet_quadrature(cell, f, 1);
      ASSERT_EQ(nodes.size(), static_cast<std::size_t>(on_facet.num_nodes()));
      for (std::size_t i = 0; i < nodes.size(); ++i)
        for (int d = 0; d < dim; ++d) {
          double x = reference[corners[0] * dim + d];
          for (int a = 0; a < dim - 1; ++a)
            x += on_facet.nodes[i * (dim - 1) + a] * rule.tangents[a * dim + d];
          ASSERT_NEAR(e.nodes[nodes[i] * dim + d], x, 1e-14) << to_string(cell) << order;
        }
    }
  }
}

TEST(element, order_that_is_not_there_is_refused_by_name) {
  for (const CellType cell :
       {CellType::triangle, CellType::tetrahedron, CellType::prism, CellType::pyramid})
    try {
      make_element(cell, highest_order_of(cell) + 1);
      FAIL() << "no error on a " << to_string(cell);
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      EXPECT_NE(std::string(error.what()).find(to_string(cell)), std::string::npos);
    }
}
