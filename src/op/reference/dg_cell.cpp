#include "op/reference/dg_cell.h"

#include <cmath>

#include "op/evaluate/point_values.h"
#include "op/law/mesh/dg_mesh.h"
#include "op/law/mesh/dg_metric_order.h"
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

// (point, d): positions of points of a cell's reference cell.
MatrixXd places_of(const Discretisation &d, int set, std::int32_t cell,
                   const std::vector<double> &points) {
  const PointTable table = make_point_table(d, set, points);
  const PointBatch batch(d, table, {&cell, 1});
  MatrixXd x(batch.num_points(), d.mesh->dim);
  for (int q = 0; q < batch.num_points(); ++q)
    for (int k = 0; k < d.mesh->dim; ++k)
      x(q, k) = batch.coordinate(k)[q];
  return x;
}

// Volume ratios, and in two dimensions the metric, as J times the inverse of dx/dr.
void set_pointwise(const std::vector<MatrixXd> &dx, std::vector<double> &volume,
                   std::vector<MatrixXd> &metric) {
  const Eigen::Index dim = dx[0].cols(), num_points = dx[0].rows();
  metric.assign(dim, MatrixXd(num_points, dim));
  for (Eigen::Index i = 0; i < num_points; ++i) {
    MatrixXd jacobian(dim, dim); // (d, r)
    for (Eigen::Index r = 0; r < dim; ++r)
      jacobian.col(r) = dx[r].row(i).transpose();
    volume.push_back(jacobian.determinant());
    for (Eigen::Index r = 0; r < dim; ++r)
      metric[r].row(i) = volume.back() * jacobian.inverse().row(r);
  }
}

// Kopriva 2006 (doi:10.1007/s10915-005-9070-8), equation 36: for the direction n, with (n, m, l)
// cyclic, J grad(xi_r)_n = -1/2 [curl of I(x_l grad(x_m) - x_m grad(x_l))]_r, at points where `at`
// differentiates.
std::vector<MatrixXd> curl_form(const MatrixXd &x, const std::vector<MatrixXd> &own,
                                const std::vector<MatrixXd> &at) {
  std::vector<MatrixXd> metric(3, MatrixXd(at[0].rows(), 3));
  for (int n = 0; n < 3; ++n) {
    const auto xl = x.col((n + 2) % 3), xm = x.col((n + 1) % 3);
    const auto component = [&](int r) -> Eigen::VectorXd {
      return xl.cwiseProduct(own[r] * xm) - xm.cwiseProduct(own[r] * xl);
    };
    metric[0].col(n) = -(at[1] * component(2) - at[2] * component(1)) / 2;
    metric[1].col(n) = -(at[2] * component(0) - at[0] * component(2)) / 2;
    metric[2].col(n) = -(at[0] * component(1) - at[1] * component(0)) / 2;
  }
  return metric;
}

// [r](point, d), and volume ratios.
std::vector<MatrixXd> metric_at(const MatrixXd &x, const std::vector<MatrixXd> &own,
                                const std::vector<MatrixXd> &at, std::vector<double> &volume) {
  std::vector<MatrixXd> dx, metric;
  for (const MatrixXd &derivative : at)
    dx.push_back(derivative * x);
  set_pointwise(dx, volume, metric);
  return at.size() == 3 ? curl_form(x, own, at) : metric;
}

// [direction](point, node)
std::vector<MatrixXd> derivatives(const Element &element, const std::vector<double> &points) {
  std::vector<double> phi, dphi;
  element.tabulate(points, phi, dphi);
  const int n = element.num_nodes(), dim = dimension(element.cell);
  std::vector<MatrixXd> result(dim, MatrixXd(Eigen::Index(phi.size()) / n, n));
  for (std::size_t entry = 0; entry < phi.size(); ++entry)
    for (int r = 0; r < dim; ++r)
      result[r](Eigen::Index(entry) / n, Eigen::Index(entry) % n) = dphi[entry * dim + r];
  return result;
}

void add_metric_tables(const Discretisation &d, DgMatrixSet &set) {
  const Element &element = set.operators.element;
  set.metric_element =
      make_nodal_element(element.cell, dg_metric_order(d, element.order), LineNodes::lobatto);
  set.at_own = derivatives(set.metric_element, set.metric_element.nodes);
  set.at_nodes = derivatives(set.metric_element, element.nodes);
  for (const NodalFacet &facet : set.operators.facets)
    set.at_facets.push_back(derivatives(set.metric_element, facet.points));
}

} // namespace

DgMatrixSet make_dg_matrix_set(const Discretisation &d, const Element &element) {
  DgMatrixSet result{.operators = make_nodal_operators(element, dg_edge_points(*d.mesh))};
  const int n = element.num_nodes();
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const MatrixXd mass = Eigen::Map<const RowMajor>(result.operators.mass.data(), n, n);
  result.derivative = derivatives(element, element.nodes);
  for (const MatrixXd &derivative : result.derivative)
    result.weak.push_back(mass.ldlt().solve(derivative.transpose() * mass));
  for (const NodalFacet &facet : result.operators.facets) {
    result.lift.push_back(
        Eigen::Map<const RowMajor>(facet.lift.data(), n, Eigen::Index(facet.num_points())));
    std::vector<double> phi, dphi;
    element.tabulate(facet.points, phi, dphi);
    result.trace.push_back(Eigen::Map<const RowMajor>(phi.data(), facet.num_points(), n));
  }
  if (element.order > 0)
    add_metric_tables(d, result);
  return result;
}

DgCellGeometry make_dg_cell_geometry(const Discretisation &d, const DgMatrixSet &matrices, int set,
                                     std::int32_t cell) {
  const Element &element = matrices.operators.element;
  const int dim = d.mesh->dim;
  DgCellGeometry g;
  std::vector<Normal> areas;
  set_means(d, matrices, set, cell, g, areas);
  for (const NodalFacet &facet : matrices.operators.facets) {
    const MatrixXd x = places_of(d, set, cell, facet.points);
    auto &positions = g.positions.emplace_back(x.rows(), Normal{0, 0, 0});
    for (Eigen::Index q = 0; q < x.rows(); ++q)
      for (int k = 0; k < dim; ++k)
        positions[q][k] = x(q, k);
  }
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
  const MatrixXd x = places_of(d, set, cell, matrices.metric_element.nodes);
  g.metric = metric_at(x, matrices.at_own, matrices.at_nodes, g.volume);
  for (int f = 0; f < num_facets(element.cell); ++f) {
    const Normal reference =
        normal_of_tangents(dim, make_facet_quadrature(element.cell, f, 0).tangents);
    std::vector<double> unused;
    const auto metric = metric_at(x, matrices.at_own, matrices.at_facets[f], unused);
    auto &normals = g.normals.emplace_back(metric[0].rows(), Normal{0, 0, 0});
    for (Eigen::Index i = 0; i < metric[0].rows(); ++i)
      for (int k = 0; k < dim; ++k)
        for (int r = 0; r < dim; ++r)
          normals[i][k] += metric[r](i, k) * reference[r];
  }
  return g;
}

} // namespace weft::reference
