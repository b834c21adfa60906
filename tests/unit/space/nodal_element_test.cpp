// Nodal elements: positions, symmetries and conditioning of their nodes, and their polynomials.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "space/element.h"
#include "space/facet_map.h"
#include "space/gauss_lobatto.h"
#include "space/nodal_element.h"
#include "space/nodal_operators.h"
#include "space/quadrature.h"

using namespace weft;

namespace {

constexpr CellType nodal_cells[] = {CellType::interval,      CellType::triangle,
                                    CellType::quadrilateral, CellType::tetrahedron,
                                    CellType::prism,         CellType::hexahedron};

// An affine function raised to a power, and its gradient; all values are of size 1.
double bounded_power(int p, const double *x, int dim, double *gradient) {
  const double slopes[3] = {0.6, -0.5, 0.3};
  double l = 0.3;
  for (int d = 0; d < dim; ++d)
    l += slopes[d] * x[d];
  for (int d = 0; d < dim; ++d)
    gradient[d] = p == 0 ? 0 : p * slopes[d] * std::pow(l, p - 1);
  return std::pow(l, p);
}

// Points of a cell: all (i, j, k) / n inside it, corners included.
std::vector<double> lattice(CellType cell, int n) {
  const int dim = dimension(cell);
  const int simplex_dim = cell == CellType::prism || cell == CellType::triangle ? 2
                          : cell == CellType::tetrahedron                       ? 3
                                                                                : 1;
  std::vector<double> points;
  for (int k = 0; k <= (dim > 2 ? n : 0); ++k)
    for (int j = 0; j <= (dim > 1 ? n : 0); ++j)
      for (int i = 0; i <= n; ++i) {
        const int at[3] = {i, j, k};
        if (std::accumulate(at, at + simplex_dim, 0) <= n)
          for (int d = 0; d < dim; ++d)
            points.push_back(double(at[d]) / n);
      }
  return points;
}

double lebesgue_constant(const Element &e, int resolution) {
  std::vector<double> phi, dphi;
  e.tabulate(lattice(e.cell, resolution), phi, dphi);
  double largest = 0;
  for (std::size_t q = 0; q < phi.size(); q += e.num_nodes()) {
    double sum = 0;
    for (int i = 0; i < e.num_nodes(); ++i)
      sum += std::abs(phi[q + i]);
    largest = std::max(largest, sum);
  }
  return largest;
}

// The affine map of the reference cell onto itself that takes vertices 0 and those that span the
// axes to the given ones.
std::vector<double> mapped(const Element &e, const std::vector<int> &spanning) {
  const int dim = dimension(e.cell);
  const auto corner = reference_vertices(e.cell);
  std::vector<double> result;
  for (int i = 0; i < e.num_nodes(); ++i)
    for (int d = 0; d < dim; ++d) {
      const double origin = corner[spanning[0] * dim + d];
      double x = origin;
      for (int a = 0; a < dim; ++a)
        x += e.nodes[i * dim + a] * (corner[spanning[a + 1] * dim + d] - origin);
      result.push_back(x);
    }
  return result;
}

// Generators of each cell's symmetries, as images of vertex 0 and those along the axes.
std::vector<std::vector<int>> symmetries(CellType cell) {
  switch (cell) {
  case CellType::interval:
    return {{1, 0}};
  case CellType::triangle:
    return {{1, 2, 0}, {0, 2, 1}};
  case CellType::quadrilateral:
    return {{1, 2, 0}, {0, 3, 1}};
  case CellType::tetrahedron:
    return {{1, 2, 3, 0}, {1, 0, 2, 3}};
  case CellType::prism:
    return {{1, 2, 0, 4}, {0, 2, 1, 3}, {3, 4, 5, 0}};
  default:
    return {{1, 2, 0, 5}, {0, 3, 1, 4}, {0, 4, 1, 3}};
  }
}

} // namespace

TEST(nodal_element, numbers_of_nodes_and_centroids) {
  EXPECT_EQ(make_nodal_element(CellType::triangle, 9).num_nodes(), 55);
  EXPECT_EQ(make_nodal_element(CellType::tetrahedron, 4).num_nodes(), 35);
  EXPECT_EQ(make_nodal_element(CellType::prism, 3).num_nodes(), 40);
  EXPECT_EQ(make_nodal_element(CellType::hexahedron, 9).num_nodes(), 1000);
  EXPECT_EQ(make_nodal_element(CellType::point, 3).num_nodes(), 1);
  for (const CellType cell : nodal_cells) {
    const Element e = make_nodal_element(cell, 0);
    const auto corners = reference_vertices(cell);
    ASSERT_EQ(e.num_nodes(), 1);
    for (int d = 0; d < dimension(cell); ++d) {
      double sum = 0;
      for (int v = 0; v < num_vertices(cell); ++v)
        sum += corners[v * dimension(cell) + d] / num_vertices(cell);
      EXPECT_NEAR(e.nodes[d], sum, 1e-15);
    }
  }
}

// Abramowitz and Stegun 1972, table 25.6, mapped from [-1, 1].
TEST(nodal_element, gauss_lobatto_as_tabulated) {
  const GaussLobatto four = gauss_lobatto(3), nine = gauss_lobatto(8);
  EXPECT_NEAR(2 * four.points[2] - 1, std::sqrt(0.2), 1e-15);
  EXPECT_NEAR(2 * four.weights[1], 5.0 / 6, 1e-15);
  EXPECT_NEAR(2 * nine.points[7] - 1, 0.8997579954, 1e-10);
  EXPECT_NEAR(2 * nine.points[5] - 1, 0.3631174638, 1e-10);
  EXPECT_NEAR(2 * nine.weights[0], 0.0277777778, 1e-10);
  EXPECT_NEAR(2 * nine.weights[4], 0.3715192744, 1e-10);
  for (int p = 1; p <= 9; ++p)
    for (int degree = 0; degree < 2 * p; ++degree) {
      const GaussLobatto rule = gauss_lobatto(p);
      double sum = 0;
      for (int i = 0; i <= p; ++i)
        sum += rule.weights[i] * std::pow(rule.points[i], degree);
      EXPECT_NEAR(sum, 1.0 / (degree + 1), 1e-15) << p;
    }
}

TEST(nodal_element, basis_is_nodal) {
  for (const CellType cell : nodal_cells)
    for (int order = 0; order <= 9; ++order) {
      const Element e = make_nodal_element(cell, order);
      const int n = e.num_nodes();
      std::vector<double> phi, dphi;
      e.tabulate(e.nodes, phi, dphi);
      double largest = 0;
      for (int q = 0; q < n; ++q)
        for (int i = 0; i < n; ++i)
          largest = std::max(largest, std::abs(phi[q * n + i] - (q == i ? 1 : 0)));
      EXPECT_LT(largest, 1e-13) << to_string(cell) << order;
    }
}

TEST(nodal_element, reproduces_polynomials_and_their_gradients) {
  for (const CellType cell : nodal_cells)
    for (int order = 0; order <= 9; ++order) {
      const Element e = make_nodal_element(cell, order);
      const int dim = dimension(cell), n = e.num_nodes();
      const auto points = lattice(cell, 4); // with the corners, where collapsed coordinates fail
      std::vector<double> phi, dphi;
      e.tabulate(points, phi, dphi);
      for (std::size_t q = 0; q * dim < points.size(); ++q) {
        double value = 0, gradient[3] = {}, exact[3], unused[3];
        for (int i = 0; i < n; ++i) {
          const double u = bounded_power(order, &e.nodes[i * dim], dim, unused);
          value += u * phi[q * n + i];
          for (int d = 0; d < dim; ++d)
            gradient[d] += u * dphi[(q * n + i) * dim + d];
        }
        ASSERT_NEAR(value, bounded_power(order, &points[q * dim], dim, exact), 1e-13);
        for (int d = 0; d < dim; ++d)
          ASSERT_NEAR(gradient[d], exact[d], 2e-12) << to_string(cell) << order;
      }
    }
}

TEST(nodal_element, nodes_have_the_symmetries_of_the_cell) {
  for (const CellType cell : nodal_cells)
    for (int order = 0; order <= 9; ++order) {
      const Element e = make_nodal_element(cell, order);
      const int dim = dimension(cell), n = e.num_nodes();
      for (const auto &symmetry : symmetries(cell)) {
        const auto image = mapped(e, symmetry);
        for (int i = 0; i < n; ++i) {
          double nearest = 1;
          for (int j = 0; j < n; ++j) {
            double distance = 0;
            for (int d = 0; d < dim; ++d)
              distance = std::max(distance, std::abs(image[i * dim + d] - e.nodes[j * dim + d]));
            nearest = std::min(nearest, distance);
          }
          ASSERT_LT(nearest, 1e-14) << to_string(cell) << order << " node " << i;
        }
      }
    }
}

TEST(nodal_element, nodes_of_simplices_on_a_facet_are_those_of_the_facets_element) {
  for (const CellType cell : {CellType::triangle, CellType::tetrahedron})
    for (int order = 1; order <= 9; ++order) {
      const Element e = make_nodal_element(cell, order);
      const int dim = dimension(cell);
      for (int f = 0; f < num_facets(cell); ++f) {
        const Element on_facet = make_nodal_element(facet_type(cell, f), order);
        const auto positions = make_facet_map(cell, f).to_cell(on_facet.nodes);
        const auto nodes = e.facet_nodes(f);
        ASSERT_EQ(static_cast<int>(nodes.size()), on_facet.num_nodes());
        for (std::size_t i = 0; i < nodes.size(); ++i)
          for (int d = 0; d < dim; ++d)
            ASSERT_NEAR(e.nodes[nodes[i] * dim + d], positions[i * dim + d], 1e-14)
                << to_string(cell) << order;
      }
    }
}

TEST(nodal_element, products_have_gauss_points_along_lines_and_none_on_facets) {
  for (int order = 1; order <= 9; ++order) {
    const Element line = make_nodal_element(CellType::interval, order, LineNodes::gauss);
    const Quadrature rule = make_quadrature(CellType::interval, 2 * order + 1);
    ASSERT_EQ(line.num_nodes(), order + 1);
    for (int i = 0; i <= order; ++i) {
      EXPECT_NEAR(line.nodes[i], rule.points[i], 1e-15);
      EXPECT_TRUE(i == 0 || line.nodes[i] > line.nodes[i - 1]);
    }
    const Element e = make_nodal_element(CellType::quadrilateral, order);
    for (int i = 0; i < e.num_nodes(); ++i) {
      EXPECT_EQ(e.nodes[2 * i], line.nodes[i % (order + 1)]);
      EXPECT_EQ(e.nodes[2 * i + 1], line.nodes[i / (order + 1)]);
    }
    EXPECT_TRUE(e.facet_nodes(0).empty());
    const Element lobatto = make_nodal_element(CellType::quadrilateral, order, LineNodes::lobatto);
    EXPECT_EQ(lobatto.nodes[0], 0);
    EXPECT_EQ(lobatto.nodes.back(), 1);
  }
}

// Interpolation is as well conditioned as published: of lines asymptotically as
// 2/pi log(p + 1) + 0.685 (Hesthaven 1998, doi:10.1137/S003614299630587X); of Warburton's nodes as
// recursivenodes 0.2.0 finds (Isaac 2020, arXiv:2002.09421). A lattice of points misses up to
// a twentieth of the maximum; triangles, blended for tetrahedra, may have a tenth more.
TEST(nodal_element, lebesgue_constants_are_those_published) {
  const double line = lebesgue_constant(make_nodal_element(CellType::interval, 9), 400);
  EXPECT_NEAR(line, 2 / std::acos(-1.0) * std::log(10) + 0.685, 0.03);
  const double triangles[] = {2.11, 2.66, 3.12, 3.70, 4.27, 4.96, 5.74};
  const double tetrahedra[] = {2.93, 4.07, 5.32, 7.01, 9.21, 12.54, 17.02};
  for (int p = 3; p <= 9; ++p) {
    const double triangle = lebesgue_constant(make_nodal_element(CellType::triangle, p), 60);
    EXPECT_GT(triangle, 0.95 * triangles[p - 3]) << p;
    EXPECT_LT(triangle, 1.09 * triangles[p - 3]) << p;
    const double tetrahedron = lebesgue_constant(make_nodal_element(CellType::tetrahedron, p), 30);
    EXPECT_GT(tetrahedron, 0.95 * tetrahedra[p - 3]) << p;
    EXPECT_LT(tetrahedron, 1.001 * tetrahedra[p - 3]) << p;
  }
}

TEST(nodal_element, pyramids_have_order_0) {
  const Element element = make_nodal_element(CellType::pyramid, 0);
  EXPECT_EQ(element.nodes, (std::vector{0.5, 0.5, 0.25}));
  const NodalOperators operators = make_nodal_operators(element);
  EXPECT_NEAR(operators.mass[0], 1.0 / 3, 1e-15);
  ASSERT_EQ(operators.facets.size(), 5u);
  // Facet over cell: 1 of the base, 1/2 of the triangles, over 1/3.
  for (const NodalFacet &facet : operators.facets)
    EXPECT_NEAR(facet.lift[0], facet.type == CellType::quadrilateral ? 3 : 1.5, 1e-14);
}

TEST(nodal_element, what_is_not_there_is_refused_by_name) {
  for (const auto &[cell, order] :
       {std::pair{CellType::pyramid, 2}, {CellType::triangle, 10}, {CellType::triangle, -1}})
    try {
      make_nodal_element(cell, order);
      FAIL() << "no error";
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      EXPECT_NE(std::string(error.what()).find(to_string(cell)), std::string::npos);
    }
}
