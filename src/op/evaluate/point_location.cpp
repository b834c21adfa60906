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

constexpr double tolerance = 1e-6; // of a cell's size

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

bool in_reference_cell(CellType cell, const double *xi) {
  const double low = -tolerance, high = 1 + tolerance;
  switch (cell) {
  case CellType::triangle:
    return xi[0] >= low && xi[1] >= low && xi[0] + xi[1] <= high;
  case CellType::tetrahedron:
    return xi[0] >= low && xi[1] >= low && xi[2] >= low && xi[0] + xi[1] + xi[2] <= high;
  case CellType::prism:
    return xi[0] >= low && xi[1] >= low && xi[0] + xi[1] <= high && xi[2] >= low && xi[2] <= high;
  case CellType::pyramid: {
    const double half = (1 - xi[2]) / 2 + tolerance;
    return std::abs(xi[0] - 0.5) <= half && std::abs(xi[1] - 0.5) <= half && xi[2] >= low &&
           xi[2] <= high;
  }
  default:
    return std::all_of(xi, xi + dimension(cell), [&](double x) { return x >= low && x <= high; });
  }
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
      return length < tolerance;
  }
  return false;
}

} // namespace

std::vector<LocatedPoint> locate_point(const Discretisation &d, std::span<const double> point) {
  const int dim = d.mesh->dim;
  require(static_cast<int>(point.size()) == dim, "a point has as many coordinates as the space");
  // Curved edges bulge out of the box of their nodes.
  const double margin = d.geometry.order == 1 ? tolerance : 0.5;
  std::vector<LocatedPoint> found;
  for (std::size_t s = 0; s < d.geometry.sets.size(); ++s) {
    const NodeMapSet &set = d.geometry.sets[s];
    const int n = set.element.num_nodes();
    std::vector<std::vector<std::int32_t>> candidates(host_threads());
    parallel_ranges(num_own_cells(*d.mesh, s), [&](std::int64_t begin, std::int64_t end,
                                                   int thread) {
      for (std::int64_t c = begin; c < end; ++c) {
        Bounds bounds = empty_bounds();
        for (int i = 0; i < n; ++i)
          include(bounds, &d.geometry.coordinates[std::int64_t(set.nodes[c * n + i]) * dim], dim);
        if (within(bounds, point, margin))
          candidates[thread].push_back(static_cast<std::int32_t>(c));
      }
    });
    for (const auto &cells : candidates)
      for (const auto c : cells) {
        std::vector<double> xi;
        if (invert_map(d.geometry, set, c, point, xi) &&
            in_reference_cell(set.element.cell, xi.data()))
          found.push_back({static_cast<int>(s), c, xi});
      }
  }
  return found;
}

CellsAtPoint locate_named_point(const Discretisation &d, std::span<const double> point,
                                const std::string &where) {
  const int dim = d.mesh->dim;
  if (static_cast<int>(point.size()) != dim)
    throw Error(ErrorKind::input, {.what = "a point with the wrong number of coordinates",
                                   .where = where,
                                   .found = fmt::format("{} coordinates", point.size()),
                                   .allowed = fmt::format("{}, one a direction of the mesh", dim)});
  CellsAtPoint located{.own = locate_point(d, point)};
  located.num_all = sum(d.ranks, static_cast<std::int64_t>(located.own.size()));
  if (located.num_all > 0)
    return located;
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

} // namespace weft
