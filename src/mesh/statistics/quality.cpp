#include "mesh/statistics/quality.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mesh/cell_volume.h"

namespace weft {

namespace {

using Point = std::array<double, 3>;
using Vertices = std::array<Point, 8>;

Point minus(const Point &a, const Point &b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Point cross(const Point &a, const Point &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double dot(const Point &a, const Point &b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double length(const Point &a) {
  return std::sqrt(dot(a, a));
}

// For each vertex, the ends of its edges such that a proper cell's determinants are positive. An
// apex of a pyramid, where four edges meet, is left out.
std::vector<std::vector<int>> corners(CellType cell) {
  switch (cell) {
  case CellType::triangle:
    return {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
  case CellType::quadrilateral:
    return {{0, 1, 3}, {1, 2, 0}, {2, 3, 1}, {3, 0, 2}};
  case CellType::tetrahedron:
    return {{0, 1, 2, 3}, {1, 2, 0, 3}, {2, 0, 1, 3}, {3, 0, 2, 1}};
  case CellType::pyramid:
    return {{0, 1, 3, 4}, {1, 2, 0, 4}, {2, 3, 1, 4}, {3, 0, 2, 4}};
  case CellType::prism:
    return {{0, 1, 2, 3}, {1, 2, 0, 4}, {2, 0, 1, 5}, {3, 5, 4, 0}, {4, 3, 5, 1}, {5, 4, 3, 2}};
  case CellType::hexahedron:
    return {{0, 1, 3, 4}, {1, 2, 0, 5}, {2, 3, 1, 6}, {3, 0, 2, 7},
            {4, 7, 5, 0}, {5, 4, 6, 1}, {6, 5, 7, 2}, {7, 6, 4, 3}};
  default:
    return {};
  }
}

Vertices ideal_cell(CellType cell) {
  const double h = std::sqrt(3.0) / 2; // height of an equilateral triangle
  switch (cell) {
  case CellType::triangle:
    return {{{0, 0, 0}, {1, 0, 0}, {0.5, h, 0}}};
  case CellType::quadrilateral:
    return {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
  case CellType::tetrahedron:
    return {{{0, 0, 0}, {1, 0, 0}, {0.5, h, 0}, {0.5, h / 3, std::sqrt(2.0 / 3)}}};
  case CellType::pyramid:
    return {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, std::sqrt(0.5)}}};
  case CellType::prism:
    return {{{0, 0, 0}, {1, 0, 0}, {0.5, h, 0}, {0, 0, 1}, {1, 0, 1}, {0.5, h, 1}}};
  default:
    return {
        {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
  }
}

double longest_edge(CellType cell, const Vertices &x) {
  double longest = 0;
  for (int e = 0; e < num_edges(cell); ++e) {
    const auto edge = edge_vertices(cell, e);
    longest = std::max(longest, length(minus(x[edge[1]], x[edge[0]])));
  }
  return longest;
}

// Length of the boundary in 2D.
double surface(CellType cell, const Vertices &x) {
  double sum = 0;
  for (int f = 0; f < num_facets(cell); ++f) {
    const auto v = facet_vertices(cell, f);
    if (v.size() == 2)
      sum += length(minus(x[v[1]], x[v[0]]));
    for (std::size_t k = 1; k + 1 < v.size(); ++k)
      sum += length(cross(minus(x[v[k]], x[v[0]]), minus(x[v[k + 1]], x[v[0]]))) / 2;
  }
  return sum;
}

double smallest_jacobian(CellType cell, const Vertices &x,
                         const std::vector<std::vector<int>> &corners) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const auto &corner : corners) {
    const Point a = minus(x[corner[1]], x[corner[0]]), b = minus(x[corner[2]], x[corner[0]]);
    double det = cross(a, b)[2], lengths = length(a) * length(b);
    if (dimension(cell) == 3) {
      const Point c = minus(x[corner[3]], x[corner[0]]);
      det = dot(cross(a, b), c);
      lengths *= length(c);
    }
    smallest = std::min(smallest, lengths > 0 ? det / lengths : 0.0);
  }
  return smallest;
}

// The figures before they are divided by those of the ideal cell.
CellQuality raw_quality(CellType cell, const Vertices &x, double volume,
                        const std::vector<std::vector<int>> &corners) {
  return {volume, longest_edge(cell, x) * surface(cell, x) / (dimension(cell) * volume),
          smallest_jacobian(cell, x, corners)};
}

struct Measure {
  std::vector<std::vector<int>> corners;
  CellQuality ideal;
};

const Measure &measure(CellType cell) {
  static const auto table = [] {
    std::array<Measure, 8> all;
    for (int c = static_cast<int>(CellType::triangle); c < 8; ++c) {
      const auto type = static_cast<CellType>(c);
      const Vertices x = ideal_cell(type);
      const std::array<std::int32_t, 8> identity = {0, 1, 2, 3, 4, 5, 6, 7};
      const double volume =
          cell_size(type, std::span(identity).first(num_vertices(type)), x[0].data(), 3).volume;
      all[c].corners = corners(type);
      all[c].ideal = raw_quality(type, x, volume, all[c].corners);
    }
    return all;
  }();
  return table[static_cast<int>(cell)];
}

// Keeps the first `most` by `before`.
template <typename Before>
void keep_worst(std::vector<WorstCell> &worst, const WorstCell &cell, int most, Before before) {
  const auto order = [&](const WorstCell &a, const WorstCell &b) {
    return before(a.value, b.value);
  };
  worst.insert(std::upper_bound(worst.begin(), worst.end(), cell, order), cell);
  if (static_cast<int>(worst.size()) > most)
    worst.pop_back();
}

template <typename Before>
void add_value(QualityRange &range, const WorstCell &cell, bool first, int most, Before before) {
  range.minimum = first ? cell.value : std::min(range.minimum, cell.value);
  range.maximum = first ? cell.value : std::max(range.maximum, cell.value);
  range.mean += cell.value; // the sum, until all are in
  keep_worst(range.worst, cell, most, before);
}

} // namespace

CellQuality cell_quality(const Mesh &mesh, const CellSet &set, std::int64_t cell) {
  const auto nodes = std::span(set.nodes).subspan(cell * set.nodes_per_cell, set.nodes_per_cell);
  Vertices x = {};
  for (int v = 0; v < num_vertices(set.type); ++v)
    std::copy_n(&mesh.coordinates[static_cast<std::int64_t>(nodes[v]) * mesh.dim], mesh.dim,
                x[v].begin());
  const double volume = cell_size(set.type, nodes, mesh.coordinates.data(), mesh.dim).volume;
  const Measure &known = measure(set.type);
  CellQuality quality = raw_quality(set.type, x, volume, known.corners);
  quality.aspect_ratio /= known.ideal.aspect_ratio;
  quality.scaled_jacobian /= known.ideal.scaled_jacobian;
  return quality;
}

MeshQuality mesh_quality(const Mesh &mesh, int num_worst) {
  MeshQuality result;
  bool first = true;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s)
    for (std::int64_t c = 0; c < mesh.sets[s].num_cells(); ++c) {
      const CellQuality q = cell_quality(mesh, mesh.sets[s], c);
      const auto set = static_cast<std::int32_t>(s);
      add_value(result.volume, {set, c, q.volume}, first, num_worst, std::less<>());
      add_value(result.aspect_ratio, {set, c, q.aspect_ratio}, first, num_worst, std::greater<>());
      add_value(result.scaled_jacobian, {set, c, q.scaled_jacobian}, first, num_worst,
                std::less<>());
      first = false;
    }
  const auto cells = static_cast<double>(mesh.num_cells());
  for (QualityRange *range : {&result.volume, &result.aspect_ratio, &result.scaled_jacobian})
    range->mean /= cells;
  return result;
}

} // namespace weft
