#include "op/reference/dg_cell.h"

#include <cmath>

#include "op/point_values.h"
#include "space/quadrature.h"

namespace weft::reference {

namespace {

using Eigen::MatrixXd;
using Normal = std::array<double, 3>;

// The normal of a facet of the reference cell, from the tangents of its map.
Normal normal_of_tangents(int dim, const std::vector<double> &t) {
  if (dim == 2)
    return {t[1], -t[0], 0};
  return {t[1] * t[5] - t[2] * t[4], t[2] * t[3] - t[0] * t[5], t[0] * t[4] - t[1] * t[3]};
}

// Volume, and mean normals times areas, by quadrature of the geometry.
void set_means(const Discretisation &d, const DgMatrixSet &matrices, int set, std::int32_t cell,
               DgCellGeometry &g, std::vector<Normal> &areas) {
  const int degree = 3 * d.geometry.order + 1;
  const CellType type = matrices.operators.element.cell;
  const PointTable table = make_cell_table(d, set, degree);
  const PointBatch inside(d, table, {&cell, 1});
  for (const double measure : inside.measure())
    g.cell_volume += measure;
  for (int f = 0; f < num_facets(type); ++f) {
    const PointTable facet = make_facet_table(d, set, f, degree);
    const PointBatch batch(d, facet, {&cell, 1});
    Normal area = {0, 0, 0};
    for (int q = 0; q < batch.num_points(); ++q)
      for (int k = 0; k < d.mesh->dim; ++k)
        area[k] += batch.measure()[q] * batch.normal(k)[q];
    areas.push_back(area);
    g.facet_areas.push_back(std::hypot(area[0], area[1], area[2]));
    Normal &middle = g.facet_middles.emplace_back(Normal{0, 0, 0});
    const double weight = reference_volume(facet_type(type, f));
    for (int q = 0; q < batch.num_points(); ++q)
      for (int k = 0; k < d.mesh->dim; ++k)
        middle[k] += facet.weights[q] / weight * batch.coordinate(k)[q];
  }
}

// (node, d): derivatives of positions by reference coordinate r are d(x)/d(r) = D_r x.
MatrixXd positions_of(const Discretisation &d, const NodeMapSet &nodes, const NodeMap &map,
                      std::int32_t cell) {
  const int n = nodes.element.num_nodes(), dim = d.mesh->dim;
  MatrixXd x(n, dim);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < dim; ++k)
      x(i, k) = map.coordinates[std::int64_t(nodes.nodes[std::int64_t(cell) * n + i]) * dim + k];
  return x;
}

// Volume ratios, and the metric as J times the inverse of dx/dr.
void set_pointwise(const std::vector<MatrixXd> &dx, int num_nodes, int dim, DgCellGeometry &g) {
  g.metric.assign(dim, MatrixXd(num_nodes, dim));
  for (int i = 0; i < num_nodes; ++i) {
    MatrixXd jacobian(dim, dim); // (d, r)
    for (int r = 0; r < dim; ++r)
      for (int k = 0; k < dim; ++k)
        jacobian(k, r) = dx[r](i, k);
    const double determinant = jacobian.determinant();
    const MatrixXd inverse = jacobian.inverse();
    g.volume.push_back(determinant);
    for (int r = 0; r < dim; ++r)
      for (int k = 0; k < dim; ++k)
        g.metric[r](i, k) = determinant * inverse(r, k);
  }
}

// Kopriva 2006 (doi:10.1007/s10915-005-9070-8), equation 36: for the direction n, with (n, m, l)
// cyclic, J grad(xi_r)_n = -1/2 [curl of I(x_l grad(x_m) - x_m grad(x_l))]_r.
void set_curl_form(const MatrixXd &x, const std::vector<MatrixXd> &derivative,
                   std::vector<MatrixXd> &metric) {
  for (int n = 0; n < 3; ++n) {
    const auto xl = x.col((n + 2) % 3), xm = x.col((n + 1) % 3);
    const auto component = [&](int r) -> Eigen::VectorXd {
      return xl.cwiseProduct(derivative[r] * xm) - xm.cwiseProduct(derivative[r] * xl);
    };
    metric[0].col(n) = -(derivative[1] * component(2) - derivative[2] * component(1)) / 2;
    metric[1].col(n) = -(derivative[2] * component(0) - derivative[0] * component(2)) / 2;
    metric[2].col(n) = -(derivative[0] * component(1) - derivative[1] * component(0)) / 2;
  }
}

} // namespace

DgMatrixSet make_dg_matrix_set(const Element &element) {
  DgMatrixSet result{.operators = make_nodal_operators(element)};
  const int n = element.num_nodes(), dim = dimension(element.cell);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const MatrixXd mass = Eigen::Map<const RowMajor>(result.operators.mass.data(), n, n);
  std::vector<double> phi, dphi;
  element.tabulate(element.nodes, phi, dphi);
  for (int r = 0; r < dim; ++r) {
    MatrixXd derivative(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        derivative(i, j) = dphi[(i * n + j) * dim + r];
    result.derivative.push_back(derivative);
    result.weak.push_back(mass.ldlt().solve(derivative.transpose() * mass));
  }
  for (const NodalFacet &facet : result.operators.facets)
    result.lift.push_back(
        Eigen::Map<const RowMajor>(facet.lift.data(), n, Eigen::Index(facet.nodes.size())));
  return result;
}

DgCellGeometry make_dg_cell_geometry(const Discretisation &d, const NodeMap &map,
                                     const DgMatrixSet &matrices, int set, std::int32_t cell) {
  const Element &element = matrices.operators.element;
  const int n = element.num_nodes(), dim = d.mesh->dim;
  DgCellGeometry g;
  std::vector<Normal> areas;
  set_means(d, matrices, set, cell, g, areas);
  if (element.order == 0) {
    g.volume = {g.cell_volume / reference_volume(element.cell)};
    g.metric.assign(dim, MatrixXd::Zero(1, dim)); // nothing is differentiated
    for (std::size_t f = 0; f < areas.size(); ++f) {
      const double reference = reference_volume(matrices.operators.facets[f].type);
      g.normals.push_back(
          {{areas[f][0] / reference, areas[f][1] / reference, areas[f][2] / reference}});
    }
    return g;
  }
  const MatrixXd x = positions_of(d, map.sets[set], map, cell);
  std::vector<MatrixXd> dx;
  for (int r = 0; r < dim; ++r)
    dx.push_back(matrices.derivative[r] * x);
  set_pointwise(dx, n, dim, g);
  if (dim == 3)
    set_curl_form(x, matrices.derivative, g.metric);
  for (int f = 0; f < num_facets(element.cell); ++f) {
    const Normal reference =
        normal_of_tangents(dim, make_facet_quadrature(element.cell, f, 0).tangents);
    auto &normals = g.normals.emplace_back();
    for (const int i : matrices.operators.facets[f].nodes) {
      Normal normal = {0, 0, 0};
      for (int k = 0; k < dim; ++k)
        for (int r = 0; r < dim; ++r)
          normal[k] += g.metric[r](i, k) * reference[r];
      normals.push_back(normal);
    }
  }
  return g;
}

} // namespace weft::reference
