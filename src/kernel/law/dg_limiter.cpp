#include "kernel/law/dg_limiter.h"

#include <Eigen/Dense>
#include <algorithm>

namespace weft {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Values at the nodes of the orthogonal projection to the polynomials of a lower order.
Matrix projection(const NodalOperators &operators, const Matrix &mass, int order) {
  const Element lower = make_nodal_element(operators.element.cell, order);
  std::vector<double> phi, dphi;
  lower.tabulate(operators.element.nodes, phi, dphi);
  const Eigen::Map<const Matrix> values(phi.data(), operators.element.num_nodes(),
                                        lower.num_nodes());
  const Matrix moments = values.transpose() * mass;
  return values * (moments * values).ldlt().solve(moments);
}

std::vector<double> entries(const Matrix &matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

} // namespace

DgLimiterMatrices dg_limiter_matrices(const NodalOperators &operators) {
  const int n = operators.element.num_nodes(), p = operators.element.order;
  const Matrix mass = Eigen::Map<const Matrix>(operators.mass.data(), n, n);
  DgLimiterMatrices result{.weights = operators.weights, .mass = operators.mass};
  result.linear = entries(projection(operators, mass, std::min(p, 1)));
  const Matrix high = Matrix::Identity(n, n) - projection(operators, mass, std::max(p - 1, 0));
  result.high_modes = entries(high.transpose() * mass * high);
  if (operators.entries() > 1) {
    std::vector<double> dphi;
    operators.element.tabulate(
        make_nodal_element(operators.element.cell, p, LineNodes::lobatto).nodes, result.lobatto,
        dphi);
  }
  return result;
}

double dg_smooth_fraction(int order) {
  const double p = std::max(order, 1);
  return 0.01 / (p * p * p * p);
}

} // namespace weft
