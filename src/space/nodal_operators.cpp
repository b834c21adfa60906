#include "space/nodal_operators.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "space/facet_map.h"
#include "space/nodal_element.h"

namespace weft {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<double> row_major(const MatrixXd &matrix) {
  std::vector<double> result;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      result.push_back(matrix(i, j));
  return result;
}

struct MassPair {
  MatrixXd mass, inverse;
};

// The exact mass matrix of a simplex: with orthonormal modes and their coefficients C, C^T C. That
// of Gauss points is diagonal.
MassPair exact_mass(const Element &e) {
  if (dimension(e.cell) == 0)
    return {MatrixXd::Ones(1, 1), MatrixXd::Ones(1, 1)};
  const Eigen::Index n = e.num_nodes();
  const MatrixXd c = Eigen::Map<const MatrixXd>(e.basis_coefficients.data(), n, n).transpose();
  const MatrixXd modes = c.inverse(); // at the nodes
  // The modes of a pyramid, of order 0, are those of a tetrahedron.
  const double volume = e.cell == CellType::pyramid ? reference_volume(CellType::pyramid) /
                                                          reference_volume(CellType::tetrahedron)
                                                    : 1;
  return {volume * c.transpose() * c, modes * modes.transpose() / volume};
}

MassPair gauss_mass(const Element &line) {
  const VectorXd w = exact_mass(line).mass.diagonal();
  return {w.asDiagonal(), w.cwiseInverse().asDiagonal()};
}

// Products of matrices over nodes of which those of `fast` run fastest.
MatrixXd product_matrix(const MatrixXd &slow, const MatrixXd &fast) {
  MatrixXd result(slow.rows() * fast.rows(), slow.cols() * fast.cols());
  for (Eigen::Index i = 0; i < slow.rows(); ++i)
    for (Eigen::Index j = 0; j < slow.cols(); ++j)
      result.block(i * fast.rows(), j * fast.cols(), fast.rows(), fast.cols()) = slow(i, j) * fast;
  return result;
}

// Elements of the factors of a cell, or of a facet.
std::vector<Element> factor_elements(CellType cell, int order, LineNodes lines) {
  std::vector<Element> factors;
  for (const CellType factor : simplex_factors(cell))
    factors.push_back(make_nodal_element(factor, order, lines));
  return factors;
}

std::vector<MassPair> factor_masses(const std::vector<Element> &factors, LineNodes lines) {
  std::vector<MassPair> masses;
  for (const Element &factor : factors)
    masses.push_back(factor.cell == CellType::interval && lines == LineNodes::gauss
                         ? gauss_mass(factor)
                         : exact_mass(factor));
  return masses;
}

MassPair product_mass(const std::vector<MassPair> &factors) {
  MassPair result = factors.front();
  for (std::size_t f = 1; f < factors.size(); ++f)
    result = {product_matrix(factors[f].mass, result.mass),
              product_matrix(factors[f].inverse, result.inverse)};
  return result;
}

// Derivatives along the axes of a factor, whose nodes lie `stride` apart.
void add_pencils(const Element &factor, const MassPair &mass, int num_nodes, int stride,
                 std::vector<Pencils> &directions) {
  std::vector<double> phi, dphi;
  factor.tabulate(factor.nodes, phi, dphi);
  const int n = factor.num_nodes(), dim = dimension(factor.cell);
  for (int d = 0; d < dim; ++d) {
    MatrixXd derivative(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        derivative(i, j) = dphi[(i * n + j) * dim + d];
    directions.push_back(
        {.size = n,
         .count = num_nodes / n,
         .stride = stride,
         .inner = stride,
         .outer = stride * n,
         .derivative = row_major(derivative),
         .weak_derivative = row_major(mass.inverse * derivative.transpose() * mass.mass)});
  }
}

// [point, node] with few entries that are not zero.
MatrixXd set_trace(const Element &element, NodalFacet &facet) {
  std::vector<double> phi, dphi;
  element.tabulate(facet.points, phi, dphi);
  const int n = element.num_nodes(), num_points = static_cast<int>(phi.size()) / n;
  MatrixXd trace = MatrixXd::Zero(num_points, n);
  std::vector<std::vector<int>> nodes(num_points);
  std::size_t most = 1;
  for (int k = 0; k < num_points; ++k) {
    for (int i = 0; i < n; ++i)
      if (std::abs(phi[k * n + i]) > 1e-11) {
        trace(k, i) = phi[k * n + i];
        nodes[k].push_back(i);
      }
    if (nodes[k].size() == 1)
      trace(k, nodes[k][0]) = 1; // the point is a node
    most = std::max(most, nodes[k].size());
  }
  facet.entries = static_cast<int>(most);
  for (int k = 0; k < num_points; ++k)
    for (std::size_t e = 0; e < most; ++e) {
      const bool is_used = e < nodes[k].size();
      facet.nodes.push_back(nodes[k][is_used ? e : 0]);
      facet.trace.push_back(is_used ? trace(k, nodes[k][e]) : 0);
    }
  return trace;
}

NodalFacet make_nodal_facet(const Element &element, int facet, LineNodes edges,
                            const MatrixXd &inverse_mass) {
  NodalFacet result{.type = facet_type(element.cell, facet)};
  const LineNodes lines = element.cell == CellType::triangle ? edges : LineNodes::gauss;
  result.own_points = make_nodal_element(result.type, element.order, lines).nodes;
  result.points = make_facet_map(element.cell, facet).to_cell(result.own_points);
  const MatrixXd trace = set_trace(element, result);
  const MatrixXd mass =
      product_mass(factor_masses(factor_elements(result.type, element.order, lines), lines)).mass;
  const VectorXd sums = mass.rowwise().sum();
  result.weights.assign(sums.begin(), sums.end());
  const MatrixXd moments = trace.transpose() * mass;
  MatrixXd lift = MatrixXd::Zero(moments.rows(), moments.cols());
  for (Eigen::Index i = 0; i < lift.rows(); ++i) // mostly zeros in products
    for (Eigen::Index j = 0; j < lift.rows(); ++j)
      if (inverse_mass(i, j) != 0)
        lift.row(i) += inverse_mass(i, j) * moments.row(j);
  result.lift = row_major(lift);
  return result;
}

} // namespace

int NodalOperators::entries() const {
  int most = 1;
  for (const NodalFacet &facet : facets)
    most = std::max(most, facet.entries);
  return most;
}

int NodalOperators::num_facet_points() const {
  int sum = 0;
  for (const NodalFacet &facet : facets)
    sum += facet.num_points();
  return sum;
}

std::vector<double> NodalOperators::whole_lift() const {
  const int n = element.num_nodes(), columns = num_facet_points();
  std::vector<double> matrix(std::size_t(n) * columns);
  int first = 0;
  for (const NodalFacet &facet : facets) {
    const int m = facet.num_points();
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < m; ++k)
        matrix[i * columns + first + k] = facet.lift[i * m + k];
    first += m;
  }
  return matrix;
}

NodalOperators make_nodal_operators(const Element &element, LineNodes edges) {
  require(element.nodal, "nodal operators are those of a nodal element");
  NodalOperators result{.element = element};
  const auto factors = factor_elements(element.cell, element.order, LineNodes::gauss);
  const auto masses = factor_masses(factors, LineNodes::gauss);
  int stride = 1;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    add_pencils(factors[f], masses[f], element.num_nodes(), stride, result.directions);
    stride *= factors[f].num_nodes();
  }
  const MassPair mass = product_mass(masses);
  for (int f = 0; f < num_facets(element.cell); ++f)
    result.facets.push_back(make_nodal_facet(element, f, edges, mass.inverse));
  result.mass = row_major(mass.mass);
  const VectorXd sums = mass.mass.rowwise().sum();
  result.weights.assign(sums.begin(), sums.end());
  return result;
}

} // namespace weft
