#include "op/evaluate/point_location.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/error.h"
#include "base/number.h"
#include "base/parallel.h"

namespace weft {

namespace {

struct Bounds {
  std::array<double, 3> low, high;
};

Bounds empty_bounds() {
  Bounds bounds;
  bounds.low.fill(std::numeric_limits<double>::infinity());
  bounds.high.fill(-std::numeric_limits<double>::infinity());
  return bounds;
}

void include(Bounds &bounds, const double *x, int dim) {
  for (int k = 0; k < dim; ++k) {
    bounds.low[k] = std::min(bounds.low[k], x[k]);
    bounds.high[k] = std::max(bounds.high[k], x[k]);
  }
}

bool within(const Bounds &bounds, std::span<const double> point, double margin) {
  const int dim = static_cast<int>(point.size());
  double size = 0;
  for (int k = 0; k < dim; ++k)
    size = std::max(size, bounds.high[k] - bounds.low[k]);
  for (int k = 0; k < dim; ++k)
    if (point[k] < bounds.low[k] - margin * size || point[k] > bounds.high[k] + margin * size)
      return false;
  return true;
}

// The most by which an inequality of the reference cell is missed; 0 inside.
double outside_by(CellType cell, const double *xi) {
  double most = 0;
  const auto at_most = [&most](double value, double limit) {
    most = std::max(most, value - limit);
  };
  for (int k = 0; k < dimension(cell); ++k)
    at_most(-xi[k], 0);
  switch (cell) {
  case CellType::triangle:
    at_most(xi[0] + xi[1], 1);
    break;
  case CellType::tetrahedron:
    at_most(xi[0] + xi[1] + xi[2], 1);
    break;
  case CellType::prism:
    at_most(xi[0] + xi[1], 1);
    at_most(xi[2], 1);
    break;
  case CellType::pyramid:
    for (int k = 0; k < 2; ++k)
      at_most(std::abs(xi[k] - 0.5), (1 - xi[2]) / 2);
    at_most(xi[2], 1);
    break;
  default:
    for (int k = 0; k < dimension(cell); ++k)
      at_most(xi[k], 1);
  }
  return most;
}

// Newton's iteration for the reference coordinates of a point; false if it doesn't settle.
bool invert_map(const NodeMap &geometry, const NodeMapSet &set, std::int64_t cell,
                std::span<const double> point, std::vector<double> &xi) {
  const int dim = static_cast<int>(point.size()), n = set.element.num_nodes();
  const auto corners = reference_vertices(set.element.cell);
  const int num_corners = num_vertices(set.element.cell);
  xi.assign(dim, 0.0);
  for (int v = 0; v < num_corners; ++v)
    for (int k = 0; k < dim; ++k)
      xi[k] += corners[v * dim + k] / num_corners;
  std::vector<double> phi, dphi;
  for (int iteration = 0; iteration < 30; ++iteration) {
    set.element.tabulate(xi, phi, dphi);
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(dim, dim);
    Eigen::VectorXd miss = Eigen::Map<const Eigen::VectorXd>(point.data(), dim);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < dim; ++k) {
        const double x = geometry.coordinates[std::int64_t(set.nodes[cell * n + i]) * dim + k];
        miss[k] -= phi[i] * x;
        for (int e = 0; e < dim; ++e)
          jacobian(k, e) += dphi[i * dim + e] * x;
      }
    const Eigen::VectorXd step = jacobian.fullPivLu().solve(miss);
    for (int k = 0; k < dim; ++k)
      xi[k] += step[k];
    const double length = step.norm();
    if (!(length < 1e3))
      return false;
    if (length < 1e-13)
      return true;
    if (iteration == 29)
      return length < location_tolerance;
  }
  return false;
}

// Points by the bins of a regular grid over them.
class PointBins {
public:
  PointBins(std::span<const double> points, int dim)
      : points_(points), dim_(dim), bounds_(empty_bounds()) {
    const std::int64_t num_points = std::int64_t(points.size()) / dim;
    for (std::int64_t p = 0; p < num_points; ++p)
      include(bounds_, &points[p * dim], dim);
    const int along =
        static_cast<int>(std::clamp(std::pow(double(num_points), 1.0 / dim), 1.0, 256.0));
    std::int64_t num_bins = 1;
    for (int k = 0; k < dim; ++k) {
      count_[k] = bounds_.high[k] > bounds_.low[k] ? along : 1;
      num_bins *= count_[k];
    }
    start_.assign(num_bins + 1, 0);
    for (std::int64_t p = 0; p < num_points; ++p)
      ++start_[bin_of(p) + 1];
    for (std::int64_t bin = 0; bin < num_bins; ++bin)
      start_[bin + 1] += start_[bin];
    in_bins_.resize(num_points);
    std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
    for (std::int64_t p = 0; p < num_points; ++p)
      in_bins_[next[bin_of(p)]++] = p;
  }

  // Calls visit(point) for those in bins that a box with a margin, of its size, touches.
  template <typename Visit>
  void for_each_near(const Bounds &box, double margin, const Visit &visit) const {
    double size = 0;
    for (int k = 0; k < dim_; ++k)
      size = std::max(size, box.high[k] - box.low[k]);
    std::array<int, 3> first = {0, 0, 0}, last = {0, 0, 0};
    for (int k = 0; k < dim_; ++k) {
      const double low = box.low[k] - margin * size, high = box.high[k] + margin * size;
      if (high < bounds_.low[k] || low > bounds_.high[k])
        return;
      first[k] = place(low, k);
      last[k] = place(high, k);
    }
    for (int z = first[2]; z <= last[2]; ++z)
      for (int y = first[1]; y <= last[1]; ++y)
        for (int x = first[0]; x <= last[0]; ++x) {
          const std::int64_t bin = (std::int64_t(z) * count_[1] + y) * count_[0] + x;
          for (std::int64_t i = start_[bin]; i < start_[bin + 1]; ++i)
            visit(in_bins_[i]);
        }
  }

private:
  int place(double x, int axis) const {
    const double extent = bounds_.high[axis] - bounds_.low[axis];
    const double at = extent > 0 ? (x - bounds_.low[axis]) / extent * count_[axis] : 0;
    return static_cast<int>(std::clamp(at, 0.0, double(count_[axis] - 1)));
  }
  std::int64_t bin_of(std::int64_t point) const {
    std::int64_t bin = 0;
    for (int k = dim_ - 1; k >= 0; --k)
      bin = bin * count_[k] + place(points_[point * dim_ + k], k);
    return bin;
  }

  std::span<const double> points_;
  int dim_;
  Bounds bounds_;
  std::array<int, 3> count_ = {1, 1, 1};
  std::vector<std::int64_t> start_, in_bins_; // [bin + 1]; points
};

// A point that may lie in a cell.
struct Candidate {
  std::int64_t point = 0;
  std::int32_t cell = 0;
};

} // namespace

std::vector<std::vector<LocatedPoint>> locate_points(const NodeMap &geometry, int dim,
                                                     std::span<const std::int64_t> num_cells,
                                                     std::span<const double> points,
                                                     double tolerance) {
  require(points.size() % dim == 0, "points have as many coordinates as the space");
  std::vector<std::vector<LocatedPoint>> found(points.size() / dim);
  if (found.empty())
    return found;
  // Curved edges bulge out of the box of their nodes.
  const double margin = geometry.order == 1 ? tolerance : 0.5;
  const PointBins bins(points, dim);
  const auto coordinates = [&](std::int64_t point) { return points.subspan(point * dim, dim); };
  for (std::size_t s = 0; s < geometry.sets.size(); ++s) {
    const NodeMapSet &set = geometry.sets[s];
    const int n = set.element.num_nodes();
    std::vector<std::vector<Candidate>> candidates(host_threads());
    parallel_ranges(num_cells[s], [&](std::int64_t begin, std::int64_t end, int thread) {
      for (std::int64_t c = begin; c < end; ++c) {
        Bounds bounds = empty_bounds();
        for (int i = 0; i < n; ++i)
          include(bounds, &geometry.coordinates[std::int64_t(set.nodes[c * n + i]) * dim], dim);
        bins.for_each_near(bounds, margin, [&](std::int64_t point) {
          if (within(bounds, coordinates(point), margin))
            candidates[thread].push_back({point, static_cast<std::int32_t>(c)});
        });
      }
    });
    for (const auto &of_thread : candidates)
      for (const Candidate &candidate : of_thread) {
        std::vector<double> xi;
        if (!invert_map(geometry, set, candidate.cell, coordinates(candidate.point), xi))
          continue;
        if (const double outside = outside_by(set.element.cell, xi.data()); outside <= tolerance)
          found[candidate.point].push_back({static_cast<int>(s), candidate.cell, xi, outside});
      }
  }
  return found;
}

std::vector<std::vector<LocatedPoint>> locate_points(const Discretisation &d,
                                                     std::span<const double> points) {
  std::vector<std::int64_t> num_cells;
  for (std::size_t s = 0; s < d.geometry.sets.size(); ++s)
    num_cells.push_back(num_own_cells(*d.mesh, s));
  return locate_points(d.geometry, d.mesh->dim, num_cells, points);
}

namespace {

[[noreturn]] void fail_outside(const Discretisation &d, std::span<const double> point,
                               const std::string &where) {
  const int dim = d.mesh->dim;
  Bounds bounds = empty_bounds();
  for (std::int64_t n = 0; n < d.geometry.num_local; ++n)
    include(bounds, &d.geometry.coordinates[n * dim], dim);
  for (int k = 0; k < dim; ++k) {
    bounds.low[k] = smallest(d.ranks, bounds.low[k]);
    bounds.high[k] = largest(d.ranks, bounds.high[k]);
  }
  const auto list = [&](const double *x) {
    std::string text;
    for (int k = 0; k < dim; ++k)
      text += (k > 0 ? ", " : "") + format_real(x[k]);
    return "[" + text + "]";
  };
  throw Error(ErrorKind::input,
              {.what = "a point outside the mesh",
               .where = where,
               .found = list(point.data()),
               .allowed = fmt::format("a point in the mesh, which extends from {} to {}",
                                      list(bounds.low.data()), list(bounds.high.data())),
               .remedy = "coordinates are those of the mesh after [mesh] scale"});
}

} // namespace

CellsAtPoint locate_named_point(const Discretisation &d, std::span<const double> point,
                                const std::string &where) {
  const int dim = d.mesh->dim;
  if (static_cast<int>(point.size()) != dim)
    throw Error(ErrorKind::input, {.what = "a point with the wrong number of coordinates",
                                   .where = where,
                                   .found = fmt::format("{} coordinates", point.size()),
                                   .allowed = fmt::format("{}, one a direction of the mesh", dim)});
  CellsAtPoint located{.own = std::move(locate_points(d, point).front())};
  located.num_all = sum(d.ranks, static_cast<std::int64_t>(located.own.size()));
  if (located.num_all == 0)
    fail_outside(d, point, where);
  return located;
}

std::vector<std::vector<LocatedPoint>> locate_all_points(const Discretisation &d,
                                                         std::span<const double> points,
                                                         const std::string &where) {
  const int dim = d.mesh->dim;
  if (points.size() % dim != 0)
    throw Error(ErrorKind::input, {.what = "coordinates that are no whole number of points",
                                   .where = where,
                                   .found = fmt::format("{} coordinates", points.size()),
                                   .allowed = fmt::format("{} a point", dim)});
  std::vector<std::vector<LocatedPoint>> located = locate_points(d, points);
  for (std::size_t p = 0; p < located.size(); ++p)
    if (located[p].empty())
      fail_outside(d, points.subspan(p * dim, dim), where);
  return located;
}

} // namespace weft
