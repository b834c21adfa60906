#include "space/nodal_operators.h"

#include <Eigen/Dense>

#include "base/error.h"
#include "space/gauss_lobatto.h"
#include "space/nodal_element.h"

namespace weft {

namespace {

using Eigen::MatrixXd;

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

// The exact mass matrix of a simplex: with orthonormal modes and their coefficients C, C^T C.
MassPair exact_mass(CellType simplex, int order) {
  const Element e = make_nodal_element(simplex, order);
  if (dimension(simplex) == 0)
    return {MatrixXd::Ones(1, 1), MatrixXd::Ones(1, 1)};
  const Eigen::Index n = e.num_nodes();
  const MatrixXd c = Eigen::Map<const MatrixXd>(e.basis_coefficients.data(), n, n).transpose();
  const MatrixXd modes = c.inverse(); // at the nodes
  return {c.transpose() * c, modes * modes.transpose()};
}

// The mass matrix by the Gauss-Lobatto rule of the nodes.
MassPair collocated_mass(int order) {
  const auto weights = gauss_lobatto(order).weights;
  const Eigen::Map<const Eigen::VectorXd> w(weights.data(), order + 1);
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

// Mass matrices of the factors of a cell, or of a facet of that cell: the first is exact in
// simplices and prisms, whose triangles have no rule at their nodes; the others are collocated.
std::vector<MassPair> factor_masses(CellType cell, CellType part, int order) {
  const bool collocated = cell == CellType::quadrilateral || cell == CellType::hexahedron;
  std::vector<MassPair> masses;
  for (const CellType factor : simplex_factors(part))
    masses.push_back(factor == CellType::interval && (collocated || !masses.empty())
                         ? collocated_mass(order)
                         : exact_mass(factor, order));
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

NodalFacet make_nodal_facet(const Element &element, int facet, const MatrixXd &inverse_mass) {
  const CellType type = facet_type(element.cell, facet);
  NodalFacet result{.type = type, .nodes = element.facet_nodes(facet)};
  if (element.order == 0)
    result.nodes = {0}; // the cell's value is that on the facet
  const MatrixXd mass = product_mass(factor_masses(element.cell, type, element.order)).mass;
  const Eigen::VectorXd sums = mass.rowwise().sum();
  result.weights.assign(sums.begin(), sums.end());
  // The facet's rows of the mass matrix stand in the rows of its nodes.
  const MatrixXd columns = inverse_mass(Eigen::all, result.nodes);
  result.lift = row_major(columns * mass);
  return result;
}

} // namespace

NodalOperators make_nodal_operators(const Element &element) {
  require(element.nodal, "nodal operators are those of a nodal element");
  NodalOperators result{.element = element};
  const auto masses = factor_masses(element.cell, element.cell, element.order);
  const auto factors = simplex_factors(element.cell);
  int stride = 1;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const Element factor = make_nodal_element(factors[f], element.order);
    add_pencils(factor, masses[f], element.num_nodes(), stride, result.directions);
    stride *= factor.num_nodes();
  }
  const MassPair mass = product_mass(masses);
  for (int f = 0; f < num_facets(element.cell); ++f)
    result.facets.push_back(make_nodal_facet(element, f, mass.inverse));
  result.mass = row_major(mass.mass);
  const Eigen::VectorXd sums = mass.mass.rowwise().sum();
  result.weights.assign(sums.begin(), sums.end());
  return result;
}

} // namespace weft
