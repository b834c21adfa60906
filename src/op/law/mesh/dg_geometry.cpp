#include "op/law/mesh/dg_geometry.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "base/parallel.h"
#include "op/law/mesh/dg_metric_order.h"
#include "space/quadrature.h"

namespace weft {

namespace {

using Vector3 = std::array<double, 3>;

Vector3 cross_product(const Vector3 &a, const Vector3 &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Outward normal of a facet of the reference cell, as long as its area over that of the facet's own
// reference cell.
Vector3 reference_normal(CellType cell, int facet) {
  const int dim = dimension(cell);
  const auto corners = reference_vertices(cell);
  const auto vertices = facet_vertices(cell, facet);
  Vector3 u = {0, 0, 0}, v = {0, 0, 0};
  for (int d = 0; d < dim; ++d) {
    u[d] = corners[vertices[1] * dim + d] - corners[vertices[0] * dim + d];
    v[d] = corners[vertices.back() * dim + d] - corners[vertices[0] * dim + d];
  }
  return dim == 2 ? Vector3{u[1], -u[0], 0} : cross_product(u, v);
}

// J times the inverse of a Jacobian [d, r]: [r, d], and J.
double adjugate(int dim, const double *jacobian, double *result) {
  if (dim == 2) {
    result[0] = jacobian[3];
    result[1] = -jacobian[1];
    result[2] = -jacobian[2];
    result[3] = jacobian[0];
    return jacobian[0] * jacobian[3] - jacobian[1] * jacobian[2];
  }
  const auto column = [&](int r) { return Vector3{jacobian[r], jacobian[3 + r], jacobian[6 + r]}; };
  double volume = 0;
  for (int r = 0; r < 3; ++r) {
    const Vector3 a = cross_product(column((r + 1) % 3), column((r + 2) % 3));
    for (int d = 0; d < 3; ++d) {
      result[r * 3 + d] = a[d];
      if (r == 0)
        volume += a[d] * jacobian[d * 3];
    }
  }
  return volume;
}

// Geometry of the cells of one set, cell by cell.
class CellMetrics {
public:
  CellMetrics(const Discretisation &d, const DgSet &set)
      : d_(d), set_(set), cell_(set.operators.element.cell), dim_(d.mesh->dim),
        order_(set.operators.element.order), geometry_(d.geometry.sets[set.set]) {
    for (int f = 0; f < num_facets(cell_); ++f)
      normals_.push_back(reference_normal(cell_, f));
    tabulate_means();
  }

  // Jacobian [d, r] at the nodes that the cell's geometry gives where it is affine, and whether.
  bool is_affine(std::int64_t cell) const {
    if (order_ == 0)
      return true; // means are all there is
    const std::vector<double> first = jacobian(cell, 0);
    double size = 0;
    for (const double j : first)
      size = std::max(size, std::abs(j));
    for (int q = 1; q < rule_.num_points(); ++q) {
      const std::vector<double> other = jacobian(cell, q);
      for (int e = 0; e < dim_ * dim_; ++e)
        if (std::abs(other[e] - first[e]) > 1e-11 * size)
          return false;
    }
    return true;
  }

  // Volume ratio, in the mean, and [facet] the mean of the normal times the area ratio.
  double means(std::int64_t cell, std::vector<Vector3> &areas) const {
    double volume = 0, weight = 0;
    std::vector<double> a(dim_ * dim_);
    for (int q = 0; q < rule_.num_points(); ++q) {
      volume += rule_.weights[q] * adjugate(dim_, jacobian(cell, q).data(), a.data());
      weight += rule_.weights[q];
    }
    areas.assign(normals_.size(), {0, 0, 0});
    for (std::size_t f = 0; f < normals_.size(); ++f) {
      double facet_weight = 0;
      for (const double w : facet_rules_[f].weights)
        facet_weight += w;
      for (int q = 0; q < facet_rules_[f].num_points(); ++q) {
        adjugate(dim_, jacobian_of(cell, facet_gradients_[f], q).data(), a.data());
        for (int d = 0; d < dim_; ++d)
          for (int r = 0; r < dim_; ++r)
            areas[f][d] +=
                facet_rules_[f].weights[q] / facet_weight * a[r * dim_ + d] * normals_[f][r];
      }
    }
    return volume / weight;
  }

  // The mean of a facet's positions over its reference facet: the same from both sides.
  Vector3 facet_middle(std::int64_t cell, int facet) const {
    const int n = geometry_.element.num_nodes();
    const Quadrature &rule = facet_rules_[facet];
    Vector3 sum = {0, 0, 0};
    double weight = 0;
    for (int q = 0; q < rule.num_points(); ++q) {
      weight += rule.weights[q];
      for (int i = 0; i < n; ++i)
        for (int d = 0; d < dim_; ++d)
          sum[d] += rule.weights[q] * facet_values_[facet][q * n + i] *
                    d_.geometry.coordinates[std::int64_t(geometry_.nodes[cell * n + i]) * dim_ + d];
    }
    return {sum[0] / weight, sum[1] / weight, sum[2] / weight};
  }

  // What follows is of curved cells.
  void tabulate_curved() {
    const int order = dg_metric_order(d_, order_);
    const Element element = make_nodal_element(cell_, order, LineNodes::lobatto);
    std::vector<double> unused;
    geometry_.element.tabulate(element.nodes, positions_, unused);
    at_own_ = derivatives(element, element.nodes);
    at_nodes_ = derivatives(element, set_.operators.element.nodes);
    for (const NodalFacet &facet : set_.operators.facets)
      at_facets_.push_back(derivatives(element, facet.points));
  }

  // [node, r * dim + d] of J times the derivative of coordinate r by x_d, and J.
  void at_nodes(const Eigen::MatrixXd &x, std::vector<double> &contravariant,
                std::vector<double> &volume) const {
    const int n = set_.num_nodes();
    std::vector<Eigen::MatrixXd> dx; // [r](node, d)
    for (int r = 0; r < dim_; ++r)
      dx.push_back(at_nodes_[r] * x);
    volume.assign(n, 0);
    std::vector<double> j(dim_ * dim_), a(dim_ * dim_);
    for (int i = 0; i < n; ++i) {
      for (int d = 0; d < dim_; ++d)
        for (int r = 0; r < dim_; ++r)
          j[d * dim_ + r] = dx[r](i, d);
      volume[i] = adjugate(dim_, j.data(), a.data());
    }
    contravariant = metric(x, at_nodes_);
  }

  // The same at a facet's points.
  std::vector<double> on_facet(const Eigen::MatrixXd &x, int facet) const {
    return metric(x, at_facets_[facet]);
  }

  // (node, d): positions of a cell's nodes of the metric's element.
  Eigen::MatrixXd positions(std::int64_t cell) const {
    const int n = geometry_.element.num_nodes();
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(Eigen::Index(positions_.size()) / n, dim_);
    for (Eigen::Index q = 0; q < x.rows(); ++q)
      for (int i = 0; i < n; ++i)
        for (int d = 0; d < dim_; ++d)
          x(q, d) +=
              positions_[q * n + i] *
              d_.geometry.coordinates[std::int64_t(geometry_.nodes[cell * n + i]) * dim_ + d];
    return x;
  }

  const Vector3 &reference_facet_normal(int facet) const { return normals_[facet]; }

  // [d, r] at a point of the means' rule.
  std::vector<double> jacobian(std::int64_t cell, int q) const {
    return jacobian_of(cell, gradients_, q);
  }

private:
  void tabulate_means() {
    // Products of three derivatives of the geometry; on facets of two.
    const bool is_simplex = cell_ == CellType::triangle || cell_ == CellType::tetrahedron;
    const int degree = is_simplex && d_.geometry.order == 1 ? 0 : 3 * d_.geometry.order;
    rule_ = make_quadrature(cell_, degree);
    std::vector<double> phi;
    geometry_.element.tabulate(rule_.points, phi, gradients_);
    for (int f = 0; f < num_facets(cell_); ++f) {
      facet_rules_.push_back(make_facet_quadrature(cell_, f, degree).points);
      geometry_.element.tabulate(facet_rules_.back().points, facet_values_.emplace_back(),
                                 facet_gradients_.emplace_back());
    }
  }

  // [r](point, node)
  std::vector<Eigen::MatrixXd> derivatives(const Element &element,
                                           const std::vector<double> &points) const {
    std::vector<double> phi, dphi;
    element.tabulate(points, phi, dphi);
    const Eigen::Index n = element.num_nodes(), rows = Eigen::Index(phi.size()) / n;
    std::vector<Eigen::MatrixXd> result(dim_, Eigen::MatrixXd(rows, n));
    for (Eigen::Index q = 0; q < rows; ++q)
      for (Eigen::Index i = 0; i < n; ++i)
        for (int r = 0; r < dim_; ++r)
          result[r](q, i) = dphi[(q * n + i) * dim_ + r];
    return result;
  }

  // [d, r] from gradients [point, node, r] of the geometry's element.
  std::vector<double> jacobian_of(std::int64_t cell, const std::vector<double> &gradients,
                                  int q) const {
    const int n = geometry_.element.num_nodes();
    std::vector<double> result(dim_ * dim_, 0.0);
    for (int i = 0; i < n; ++i)
      for (int d = 0; d < dim_; ++d) {
        const double x =
            d_.geometry.coordinates[std::int64_t(geometry_.nodes[cell * n + i]) * dim_ + d];
        for (int r = 0; r < dim_; ++r)
          result[d * dim_ + r] += x * gradients[(std::int64_t(q) * n + i) * dim_ + r];
      }
    return result;
  }

  // [point, r * dim + d], with derivatives at the points. In three dimensions
  //   J a^r_d = -1/2 (curl_xi (X_l grad_xi X_m - X_m grad_xi X_l))_r with (d, m, l) cyclic,
  //   products
  // interpolated at the nodes of the metric's element (Kopriva 2006, equation 36). On a facet the
  // normal component is made of what lies on the facet, which both sides have.
  std::vector<double> metric(const Eigen::MatrixXd &x,
                             const std::vector<Eigen::MatrixXd> &at) const {
    const Eigen::Index n = at[0].rows();
    std::vector<double> result(n * dim_ * dim_);
    const auto set = [&](int r, int d, const Eigen::VectorXd &values) {
      for (Eigen::Index i = 0; i < n; ++i)
        result[(i * dim_ + r) * dim_ + d] = values[i];
    };
    if (dim_ == 2) {
      for (int d = 0; d < 2; ++d) {
        const double sign = d == 0 ? 1 : -1;
        set(0, d, sign * (at[1] * x.col(1 - d)));
        set(1, d, -sign * (at[0] * x.col(1 - d)));
      }
      return result;
    }
    std::vector<Eigen::MatrixXd> dx; // [r](node, d)
    for (int r = 0; r < 3; ++r)
      dx.push_back(at_own_[r] * x);
    for (int d = 0; d < 3; ++d) {
      const int m = (d + 1) % 3, l = (d + 2) % 3;
      std::vector<Eigen::VectorXd> v; // [r]
      for (int r = 0; r < 3; ++r)
        v.push_back(x.col(l).cwiseProduct(dx[r].col(m)) - x.col(m).cwiseProduct(dx[r].col(l)));
      for (int r = 0; r < 3; ++r) {
        const int s = (r + 1) % 3, t = (r + 2) % 3;
        set(r, d, (at[t] * v[s] - at[s] * v[t]) / 2);
      }
    }
    return result;
  }

  const Discretisation &d_;
  const DgSet &set_;
  CellType cell_;
  int dim_, order_;
  const NodeMapSet &geometry_;
  std::vector<Vector3> normals_;
  Quadrature rule_;
  std::vector<double> gradients_;
  std::vector<Quadrature> facet_rules_;
  std::vector<std::vector<double>> facet_values_, facet_gradients_;
  std::vector<double> positions_; // [node of the metric's element, node of the geometry]
  // Derivatives of the metric's element at its own nodes, at the cell's, at those of each facet.
  std::vector<Eigen::MatrixXd> at_own_, at_nodes_;
  std::vector<std::vector<Eigen::MatrixXd>> at_facets_;
};

double size_of(const Vector3 &v) {
  return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Writes what is known of cells to their lanes.
class MetricWriter {
public:
  MetricWriter(const CellMetrics &metrics, int dim, int lanes, const DgFacetLayout &layout,
               DgSet &set)
      : metrics_(metrics), dim_(dim), lanes_(lanes), layout_(layout), set_(set),
        reference_(reference_volume(set.operators.element.cell)) {
    const std::int64_t groups = set.groups.num_groups();
    const int n = set.num_nodes();
    facet_metrics_ = set.affine ? set.num_facets() : set.num_facet_points();
    set.metric.resize(groups * lanes * (set.affine ? dim * dim : n * (dim * dim + 1)));
    set.facet_metric.resize(groups * facet_metrics_ * layout.entries * lanes);
    set.length.resize(groups * lanes);
  }

  void write(std::int64_t group, int lane, std::int64_t cell) {
    std::vector<Vector3> areas;
    const double ratio = metrics_.means(cell, areas);
    double surface = 0;
    for (int f = 0; f < set_.num_facets(); ++f)
      surface += facet_area(areas, f);
    set_.length[group * lanes_ + lane] = 2 * dim_ * ratio * reference_ / surface;
    if (set_.affine)
      write_affine(group, lane, cell, ratio, areas);
    else
      write_curved(group, lane, cell);
  }

  // [cell, facet], of all cells, ghosts too.
  std::vector<double> penalties(std::int64_t num_cells) const {
    std::vector<double> result(num_cells * set_.num_facets());
    parallel_ranges(num_cells, [&](std::int64_t begin, std::int64_t end, int) {
      std::vector<Vector3> areas;
      for (std::int64_t cell = begin; cell < end; ++cell) {
        const double volume = metrics_.means(cell, areas) * reference_;
        for (int f = 0; f < set_.num_facets(); ++f)
          result[cell * set_.num_facets() + f] = penalty(facet_area(areas, f), volume);
      }
    });
    return result;
  }

private:
  double facet_area(const std::vector<Vector3> &areas, int f) const {
    return size_of(areas[f]) * reference_volume(set_.operators.facets[f].type);
  }

  // (p + 1)(p + d)/d times area over volume (Shahbazi 2005, doi:10.1016/j.jcp.2004.11.017): what a
  // boundary facet of a simplex needs.
  double penalty(double area, double volume) const {
    const int p = set_.operators.element.order;
    return (p + 1.0) * (p + dim_) / dim_ * area / volume;
  }

  void write_affine(std::int64_t group, int lane, std::int64_t cell, double ratio,
                    const std::vector<Vector3> &areas) {
    std::vector<double> a(dim_ * dim_);
    adjugate(dim_, metrics_.jacobian(cell, 0).data(), a.data());
    for (int e = 0; e < dim_ * dim_; ++e)
      set_.metric[(group * dim_ * dim_ + e) * lanes_ + lane] = a[e] / ratio;
    for (int f = 0; f < set_.num_facets(); ++f) {
      const std::int64_t index = group * facet_metrics_ + f;
      write_facet(index, lane, areas[f], 1 / ratio);
      if (layout_.middle < 0)
        continue;
      const Vector3 middle = metrics_.facet_middle(cell, f);
      for (int e = 0; e < dim_; ++e)
        set_.facet_metric[(index * layout_.entries + layout_.middle + e) * lanes_ + lane] =
            middle[e];
    }
  }

  void write_curved(std::int64_t group, int lane, std::int64_t cell) {
    const int n = set_.num_nodes(), square = dim_ * dim_;
    std::vector<double> contravariant, volume;
    const Eigen::MatrixXd x = metrics_.positions(cell);
    metrics_.at_nodes(x, contravariant, volume);
    for (int i = 0; i < n; ++i) {
      if (!(volume[i] > 0))
        throw Error(ErrorKind::input,
                    {.what = "a curved cell is turned inside out at a node",
                     .where = "[mesh]",
                     .found = fmt::format("{} {} with the volume ratio {}",
                                          to_string(set_.operators.element.cell), cell, volume[i]),
                     .allowed = "> 0",
                     .remedy = "use a finer mesh, or geometry of order 1"});
      double *to = &set_.metric[(group * n + i) * (square + 1) * lanes_ + lane];
      for (int e = 0; e < square; ++e)
        to[e * lanes_] = contravariant[i * square + e];
      to[square * lanes_] = 1 / volume[i];
    }
    for (int f = 0; f < set_.num_facets(); ++f) {
      const std::vector<double> a = metrics_.on_facet(x, f);
      for (int k = 0; k < set_.facet_offset[f + 1] - set_.facet_offset[f]; ++k) {
        Vector3 area = {0, 0, 0};
        for (int d = 0; d < dim_; ++d)
          for (int r = 0; r < dim_; ++r)
            area[d] += a[k * square + r * dim_ + d] * metrics_.reference_facet_normal(f)[r];
        write_facet(group * facet_metrics_ + set_.facet_offset[f] + k, lane, area, 1);
      }
    }
  }

  // Unit normal, area ratio times `scale`.
  void write_facet(std::int64_t index, int lane, const Vector3 &area, double scale) {
    double *to = &set_.facet_metric[index * layout_.entries * lanes_ + lane];
    const double size = size_of(area);
    for (int d = 0; d < dim_; ++d)
      to[d * lanes_] = area[d] / size;
    to[dim_ * lanes_] = size * scale;
  }

  const CellMetrics &metrics_;
  int dim_, lanes_;
  const DgFacetLayout &layout_;
  DgSet &set_;
  double reference_;
  std::int64_t facet_metrics_ = 0;
};

} // namespace

int dg_metric_order(const Discretisation &d, int order) {
  const bool products = std::all_of(d.mesh->sets.begin(), d.mesh->sets.end(), [](const auto &set) {
    return set.type == CellType::quadrilateral || set.type == CellType::hexahedron;
  });
  const int geometry = d.geometry.order;
  return products || geometry == 1 ? std::max(order, std::min(order + 1, 2 * geometry)) : order;
}

void set_dg_geometry(const Discretisation &d, int lanes, const DgFacetLayout &layout, DgSet &set) {
  CellMetrics metrics(d, set);
  const std::int64_t cells = d.mesh->sets[set.set].num_cells();
  set.affine = true;
  for (std::int64_t c = 0; c < cells && set.affine; ++c)
    set.affine = metrics.is_affine(c);
  set.affine = !any(d.ranks, !set.affine);
  if (!set.affine)
    metrics.tabulate_curved();
  MetricWriter writer(metrics, d.mesh->dim, lanes, layout, set);
  if (layout.penalty >= 0)
    set.penalties = writer.penalties(cells);
  parallel_ranges(set.groups.num_groups(), [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t g = begin; g < end; ++g)
      for (int lane = 0; lane < lanes; ++lane) {
        const std::int32_t cell = set.groups.cells[g * lanes + lane];
        writer.write(g, lane, cell >= 0 ? cell : set.groups.cells[g * lanes]);
      }
  });
}

} // namespace weft
