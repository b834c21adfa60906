// Matrices of nodal elements: exactness, summation by parts, conservation.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "space/facet_map.h"
#include "space/nodal_element.h"
#include "space/nodal_operators.h"
#include "space/quadrature.h"

using namespace weft;

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Orders of full matrices: those of hexahedra of order 9 have a million entries, which the
// polynomials go through.
int highest_full_order(CellType cell) {
  return dimension(cell) < 3 ? 9 : cell == CellType::tetrahedron ? 9 : 5;
}

constexpr CellType operator_cells[] = {CellType::triangle, CellType::quadrilateral,
                                       CellType::tetrahedron, CellType::prism,
                                       CellType::hexahedron};

MatrixXd matrix_of(const std::vector<double> &values, Index rows) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Rows>(values.data(), rows, static_cast<Index>(values.size()) / rows);
}

VectorXd apply_pencils(const Pencils &pencils, const std::vector<double> &matrix,
                       const VectorXd &u) {
  VectorXd result = VectorXd::Zero(u.size());
  for (int p = 0; p < pencils.count; ++p)
    for (int i = 0; i < pencils.size; ++i)
      for (int j = 0; j < pencils.size; ++j)
        result[pencils.base(p) + pencils.stride * i] +=
            matrix[i * pencils.size + j] * u[pencils.base(p) + pencils.stride * j];
  return result;
}

MatrixXd full_matrix(const Pencils &pencils, const std::vector<double> &matrix, Index n) {
  MatrixXd result(n, n);
  for (Index j = 0; j < n; ++j)
    result.col(j) = apply_pencils(pencils, matrix, VectorXd::Unit(n, j));
  return result;
}

// Normal of a facet times the ratio of its area to that of its reference facet.
std::vector<double> facet_normal(CellType cell, int facet) {
  const auto t = make_facet_map(cell, facet).tangents;
  if (dimension(cell) == 2)
    return {t[1], -t[0]};
  return {t[1] * t[5] - t[2] * t[4], t[2] * t[3] - t[0] * t[5], t[0] * t[4] - t[1] * t[3]};
}

// Values that a facet sees: [point, node].
MatrixXd trace(const NodalFacet &facet, Index n) {
  MatrixXd result = MatrixXd::Zero(facet.num_points(), n);
  for (std::size_t entry = 0; entry < facet.nodes.size(); ++entry)
    result(static_cast<Index>(entry) / facet.entries, facet.nodes[entry]) += facet.trace[entry];
  return result;
}

// All cells, and triangles beside quadrilaterals.
struct OperatorCell {
  CellType cell;
  LineNodes edges = LineNodes::lobatto;
};
constexpr OperatorCell cells_and_edges[] = {
    {CellType::triangle},      {CellType::triangle, LineNodes::gauss},
    {CellType::quadrilateral}, {CellType::tetrahedron},
    {CellType::prism},         {CellType::hexahedron}};

// Gauss quadrature of all products of basis functions.
MatrixXd exact_mass_by_quadrature(const Element &e) {
  const Quadrature rule = make_quadrature(e.cell, 2 * e.order);
  std::vector<double> phi, dphi;
  e.tabulate(rule.points, phi, dphi);
  const MatrixXd basis = matrix_of(phi, rule.num_points());
  const Eigen::Map<const VectorXd> weights(rule.weights.data(), rule.num_points());
  return basis.transpose() * weights.asDiagonal() * basis;
}

} // namespace

TEST(nodal_operators, derivatives_are_exact) {
  for (const CellType cell : operator_cells)
    for (int order = 0; order <= 9; ++order) {
      const NodalOperators op = make_nodal_operators(make_nodal_element(cell, order));
      const int dim = dimension(cell), n = op.element.num_nodes();
      const double slopes[3] = {0.6, -0.5, 0.3};
      VectorXd l = VectorXd::Constant(n, 0.3);
      for (int i = 0; i < n; ++i)
        for (int d = 0; d < dim; ++d)
          l[i] += slopes[d] * op.element.nodes[i * dim + d];
      ASSERT_EQ(static_cast<int>(op.directions.size()), dim);
      for (int d = 0; d < dim; ++d) {
        const VectorXd found = apply_pencils(op.directions[d], op.directions[d].derivative,
                                             l.array().pow(order).matrix());
        const VectorXd exact = order == 0 ? VectorXd(VectorXd::Zero(n))
                                          : VectorXd(order * slopes[d] * l.array().pow(order - 1));
        EXPECT_LT((found - exact).cwiseAbs().maxCoeff(), 1e-12) << to_string(cell) << order;
      }
    }
}

TEST(nodal_operators, mass_is_exact_and_diagonal_along_lines) {
  for (const CellType cell : operator_cells)
    for (int order = 0; order <= highest_full_order(cell); ++order) {
      const NodalOperators op = make_nodal_operators(make_nodal_element(cell, order));
      const MatrixXd mass = matrix_of(op.mass, op.element.num_nodes());
      EXPECT_LT((mass - exact_mass_by_quadrature(op.element)).cwiseAbs().maxCoeff(), 1e-15)
          << to_string(cell) << order;
      if (cell == CellType::quadrilateral || cell == CellType::hexahedron) {
        EXPECT_EQ((mass - MatrixXd(mass.diagonal().asDiagonal())).cwiseAbs().maxCoeff(), 0);
      }
    }
}

TEST(nodal_operators, weights_integrate_polynomials_of_the_order) {
  for (const CellType cell : operator_cells)
    for (int order = 0; order <= 9; ++order) {
      const NodalOperators op = make_nodal_operators(make_nodal_element(cell, order));
      const int dim = dimension(cell);
      const auto integral = [&](const std::vector<double> &weights,
                                const std::vector<double> &points) {
        double sum = 0;
        for (std::size_t i = 0; i < weights.size(); ++i)
          sum +=
              weights[i] * std::pow(0.3 + 0.6 * points[i * dim] - 0.5 * points[i * dim + 1], order);
        return sum;
      };
      const Quadrature rule = make_quadrature(cell, order);
      EXPECT_NEAR(integral(op.weights, op.element.nodes), integral(rule.weights, rule.points),
                  1e-14);
      for (int f = 0; f < num_facets(cell); ++f) {
        const auto &facet = op.facets[f];
        const FacetQuadrature exact = make_facet_quadrature(cell, f, order);
        EXPECT_EQ(facet.type, facet_type(cell, f));
        EXPECT_NEAR(integral(facet.weights, facet.points),
                    integral(exact.points.weights, exact.points.points), 1e-14)
            << to_string(cell) << order << " facet " << f;
      }
    }
}

// Values at the points of facets are those of the polynomials.
TEST(nodal_operators, traces_are_values_on_facets) {
  for (const auto &[cell, edges] : cells_and_edges)
    for (int order = 0; order <= 9; ++order) {
      const NodalOperators op = make_nodal_operators(make_nodal_element(cell, order), edges);
      const int dim = dimension(cell), n = op.element.num_nodes();
      const auto at = [&](const double *x) {
        return std::pow(0.3 + 0.6 * x[0] - 0.5 * x[1] + (dim == 3 ? 0.3 * x[2] : 0), order);
      };
      const bool nodes_at_points = edges == LineNodes::lobatto && simplex_factors(cell).size() == 1;
      EXPECT_EQ(op.entries(), nodes_at_points || order == 0 ? 1 : order + 1);
      VectorXd u(n);
      for (int i = 0; i < n; ++i)
        u[i] = at(&op.element.nodes[i * dim]);
      for (const NodalFacet &facet : op.facets) {
        const VectorXd values = trace(facet, n) * u;
        for (int k = 0; k < facet.num_points(); ++k)
          ASSERT_NEAR(values[k], at(&facet.points[k * dim]), 1e-12) << to_string(cell) << order;
      }
    }
}

// The lift is M^-1 times the exact integrals of a facet's polynomials with those of the cell.
TEST(nodal_operators, lift_is_the_inverse_mass_of_integrals_over_the_facet) {
  for (const auto &[cell, edges] : cells_and_edges)
    for (int order = 0; order <= highest_full_order(cell); ++order) {
      const NodalOperators op = make_nodal_operators(make_nodal_element(cell, order), edges);
      const Index n = op.element.num_nodes();
      const MatrixXd mass = matrix_of(op.mass, n);
      ASSERT_EQ(static_cast<int>(op.facets.size()), num_facets(cell));
      for (int f = 0; f < num_facets(cell); ++f) {
        const NodalFacet &facet = op.facets[f];
        const auto rule = make_facet_quadrature(cell, f, 2 * order);
        const Index num_points = rule.points.num_points();
        std::vector<double> phi, on_facet, unused;
        op.element.tabulate(rule.points.points, phi, unused);
        const LineNodes lines = cell == CellType::triangle ? edges : LineNodes::gauss;
        make_nodal_element(facet.type, order, lines)
            .tabulate(make_quadrature(facet.type, 2 * order).points, on_facet, unused);
        const Eigen::Map<const VectorXd> w(rule.points.weights.data(), num_points);
        const MatrixXd expected = matrix_of(phi, num_points).transpose() * w.asDiagonal() *
                                  matrix_of(on_facet, num_points);
        EXPECT_LT((mass * matrix_of(facet.lift, n) - expected).cwiseAbs().maxCoeff(), 1e-13)
            << to_string(cell) << order;
      }
    }
}

// M D + (M D)^T is the sum over the facets of n_d times their mass matrices (Kreiss and Scherer
// 1974): what makes the weak and the strong form one scheme.
TEST(nodal_operators, summation_by_parts) {
  for (const auto &[cell, edges] : cells_and_edges)
    for (int order = 1; order <= highest_full_order(cell); ++order) {
      const NodalOperators op = make_nodal_operators(make_nodal_element(cell, order), edges);
      const Index n = op.element.num_nodes();
      const MatrixXd mass = matrix_of(op.mass, n);
      for (int d = 0; d < dimension(cell); ++d) {
        const MatrixXd md = mass * full_matrix(op.directions[d], op.directions[d].derivative, n);
        MatrixXd boundary = MatrixXd::Zero(n, n);
        for (int f = 0; f < num_facets(cell); ++f)
          boundary += facet_normal(cell, f)[d] * mass * matrix_of(op.facets[f].lift, n) *
                      trace(op.facets[f], n);
        EXPECT_LT((md + md.transpose() - boundary).cwiseAbs().maxCoeff(), 1e-13)
            << to_string(cell) << order;
      }
    }
}

// Whatever the flux, derivatives in the weak form add nothing to the sum over a cell, and what is
// lifted adds its integral over the facet.
TEST(nodal_operators, conserve) {
  for (const auto &[cell, edges] : cells_and_edges)
    for (int order = 0; order <= highest_full_order(cell); ++order) {
      const NodalOperators op = make_nodal_operators(make_nodal_element(cell, order), edges);
      const Index n = op.element.num_nodes();
      const MatrixXd mass = matrix_of(op.mass, n);
      const Eigen::Map<const Eigen::RowVectorXd> weights(op.weights.data(), n);
      EXPECT_NEAR(weights.sum(), reference_volume(cell), 1e-14);
      for (const Pencils &pencils : op.directions) {
        const MatrixXd weak = full_matrix(pencils, pencils.weak_derivative, n);
        EXPECT_LT((weights * weak).cwiseAbs().maxCoeff(), 1e-13) << to_string(cell) << order;
        const MatrixXd d = full_matrix(pencils, pencils.derivative, n);
        EXPECT_LT((mass * weak - d.transpose() * mass).cwiseAbs().maxCoeff(), 1e-13);
      }
      for (const NodalFacet &facet : op.facets) {
        const Eigen::RowVectorXd sums = weights * matrix_of(facet.lift, n);
        for (std::size_t i = 0; i < facet.weights.size(); ++i)
          EXPECT_NEAR(sums[static_cast<Index>(i)], facet.weights[i], 1e-14);
      }
    }
}

TEST(nodal_operators, order_0_has_no_derivatives_and_lifts_by_measures) {
  const NodalOperators op = make_nodal_operators(make_nodal_element(CellType::tetrahedron, 0));
  for (const Pencils &pencils : op.directions)
    EXPECT_EQ(pencils.derivative, std::vector<double>{0});
  for (const NodalFacet &facet : op.facets) {
    EXPECT_EQ(facet.nodes, std::vector<int>{0});
    EXPECT_NEAR(facet.lift.at(0), (1.0 / 2) / (1.0 / 6), 1e-14);
  }
}

TEST(nodal_operators, lift_of_hexahedra_follows_lines) {
  const NodalOperators op = make_nodal_operators(make_nodal_element(CellType::hexahedron, 9));
  for (const NodalFacet &facet : op.facets) {
    ASSERT_EQ(facet.num_points(), 100);
    ASSERT_EQ(facet.entries, 10);
    ASSERT_EQ(facet.lift.size(), 100000u);
    for (int k = 0; k < 100; ++k) {
      double of_line = 0, all = 0;
      for (int i = 0; i < 1000; ++i)
        all += std::abs(facet.lift[i * 100 + k]);
      for (int e = 0; e < 10; ++e)
        of_line += std::abs(facet.lift[facet.nodes[k * 10 + e] * 100 + k]);
      ASSERT_GT(of_line, 1);
      ASSERT_EQ(of_line, all);
    }
  }
}
