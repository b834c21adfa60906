#include "op/law/mesh/fv_coefficients.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "base/parallel.h"
#include "mesh/cell_volume.h"

namespace weft {

namespace {

using Position = std::array<double, 3>;

constexpr std::size_t cells_in_messages = 5; // cells that a message names

Position minus(const Position &a, const Position &b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Position cross(const Position &a, const Position &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double dot(const Position &a, const Position &b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void add(Position &sum, double factor, const Position &a) {
  for (int d = 0; d < 3; ++d)
    sum[d] += factor * a[d];
}

struct FacetShape {
  Position area = {0, 0, 0}; // outward normal, as long as the facet is large
  Position middle = {0, 0, 0};
};

// A cell's vertices and what follows from them.
class CellShape {
public:
  CellShape(const Mesh &mesh, const CellSet &set, std::int64_t cell)
      : type_(set.type), dim_(mesh.dim), count_(num_vertices(set.type)) {
    const std::int32_t *nodes = &set.nodes[cell * set.nodes_per_cell];
    volume_ =
        cell_size(type_, {nodes, static_cast<std::size_t>(count_)}, mesh.coordinates.data(), dim_)
            .volume;
    for (int v = 0; v < count_; ++v)
      for (int d = 0; d < dim_; ++d)
        vertices_[v][d] = mesh.coordinates[std::int64_t(nodes[v]) * dim_ + d];
  }

  double volume() const { return volume_; }

  FacetShape facet(int f) const {
    const auto v = facet_vertices(type_, f);
    FacetShape shape;
    if (dim_ == 2) {
      const Position along = minus(vertices_[v[1]], vertices_[v[0]]);
      shape.area = {along[1], -along[0], 0};
      add(shape.middle, 0.5, vertices_[v[0]]);
      add(shape.middle, 0.5, vertices_[v[1]]);
      return shape;
    }
    for_each_triangle(f, [&](const Position &a, const Position &b, const Position &c) {
      add(shape.area, 0.5, cross(minus(b, a), minus(c, a)));
    });
    // Triangles count by what of them faces as the whole does.
    for_each_triangle(f, [&](const Position &a, const Position &b, const Position &c) {
      const double part = 0.5 * dot(cross(minus(b, a), minus(c, a)), shape.area);
      for (const Position &corner : {a, b, c})
        add(shape.middle, part / 3 / dot(shape.area, shape.area), corner);
    });
    return shape;
  }

  // Mean of the pieces between the mean of the vertices and each facet's triangles or edge.
  Position centroid() const {
    const Position inside = mean_of({vertices_.data(), static_cast<std::size_t>(count_)});
    Position sum = {0, 0, 0};
    double size = 0;
    const auto add_piece = [&](double piece, std::initializer_list<Position> corners) {
      size += piece;
      for (const Position &corner : corners)
        add(sum, piece / (dim_ + 1), minus(corner, inside));
    };
    for (int f = 0; f < num_facets(type_); ++f) {
      const auto v = facet_vertices(type_, f);
      if (dim_ == 2)
        add_piece(cross(minus(vertices_[v[0]], inside), minus(vertices_[v[1]], inside))[2],
                  {vertices_[v[0]], vertices_[v[1]]});
      else
        for_each_triangle(f, [&](const Position &a, const Position &b, const Position &c) {
          add_piece(dot(minus(a, inside), cross(minus(b, inside), minus(c, inside))), {a, b, c});
        });
    }
    Position result = inside;
    add(result, 1 / size, sum);
    return result;
  }

private:
  static Position mean_of(std::span<const Position> points) {
    Position mean = {0, 0, 0};
    for (const Position &point : points)
      add(mean, 1.0 / static_cast<double>(points.size()), point);
    return mean;
  }

  // The triangles of a facet in 3D: itself, or four about the mean of its vertices.
  template <typename Body> void for_each_triangle(int f, Body body) const {
    const auto v = facet_vertices(type_, f);
    if (v.size() == 3) {
      body(vertices_[v[0]], vertices_[v[1]], vertices_[v[2]]);
      return;
    }
    std::array<Position, 4> corners;
    for (int k = 0; k < 4; ++k)
      corners[k] = vertices_[v[k]];
    const Position middle = mean_of(corners);
    for (int k = 0; k < 4; ++k)
      body(corners[k], corners[(k + 1) % 4], middle);
  }

  CellType type_;
  int dim_, count_;
  double volume_ = 0;
  std::array<Position, 8> vertices_{};
};

// K n . o of a cell.
class Conductivity {
public:
  Conductivity(const std::vector<double> &values, std::int64_t cells, int dim)
      : values_(values), dim_(dim),
        entries_(values.empty() ? 0 : static_cast<int>(values.size() / cells)) {
    require(values.size() == std::size_t(cells) * entries_ &&
                (entries_ == 0 || entries_ == 1 || entries_ == dim * dim),
            "a conductivity is a number a cell or a tensor");
    for (std::int64_t c = 0; c < cells && entries_ > 0; ++c)
      check(c);
  }

  double product(std::int64_t cell, const Position &n, const Position &o) const {
    if (entries_ == 0)
      return dot(n, o);
    const double *k = &values_[cell * entries_];
    if (entries_ == 1)
      return *k * dot(n, o);
    double sum = 0;
    for (int d = 0; d < dim_; ++d)
      for (int e = 0; e < dim_; ++e)
        sum += k[d * dim_ + e] * n[e] * o[d];
    return sum;
  }

private:
  void check(std::int64_t cell) const {
    const int rows = entries_ == 1 ? 1 : dim_;
    const double *k = &values_[cell * entries_];
    bool is_good = true;
    for (int d = 0; d < rows; ++d)
      for (int e = 0; e < rows; ++e)
        is_good = is_good && std::isfinite(k[d * rows + e]) &&
                  std::abs(k[d * rows + e] - k[e * rows + d]) <=
                      1e-12 * std::sqrt(k[d * rows + d] * k[e * rows + e]) &&
                  k[d * rows + d] >= 0;
    if (!is_good)
      throw Error(ErrorKind::input, {.what = "a conductivity is no symmetric positive tensor",
                                     .where = fmt::format("cell {}", cell),
                                     .found = fmt::format("{}", fmt::join(k, k + entries_, ", ")),
                                     .allowed = "finite, symmetric, diagonal >= 0",
                                     .remedy = "check the expression of the conductivity"});
  }

  const std::vector<double> &values_;
  int dim_, entries_;
};

[[noreturn]] void fail_flat(const CellSet &set, std::int64_t cell, double volume) {
  throw Error(ErrorKind::input,
              {.what = "a cell has no volume",
               .where = "[mesh]",
               .found = fmt::format("{} {} with the volume {}", to_string(set.type), cell, volume),
               .allowed = "> 0",
               .remedy = "mesh the geometry anew"});
}

// Volumes and centroids of cells; [cell, slot]: half transmissibilities.
std::vector<double> half_transmissibilities(const Mesh &mesh, const CellGraph &graph,
                                            const Conductivity &conductivity,
                                            FvCoefficients &result) {
  std::vector<double> half(graph.num_cells * graph.width, 0.0);
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    const CellSet &set = mesh.sets[s];
    parallel_ranges(set.num_cells(), [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t c = begin; c < end; ++c) {
        const CellShape shape(mesh, set, c);
        const std::int64_t cell = graph.first_cell[s] + c;
        if (!(shape.volume() > 0))
          fail_flat(set, c, shape.volume());
        result.volume[cell] = shape.volume();
        result.places[cell] = shape.centroid();
        for (int f = 0; f < num_facets(set.type); ++f) {
          const FacetShape facet = shape.facet(f);
          const Position offset = minus(facet.middle, result.places[cell]);
          half[cell * graph.width + f] =
              conductivity.product(cell, facet.area, offset) / dot(offset, offset);
        }
      }
    });
  }
  return half;
}

// Coefficient of the facet between two halves.
double joined(double a, double b) {
  return a + b == 0 ? 0 : a * b / (a + b);
}

void count_negative(const CellGraph &graph, const std::vector<double> &half,
                    FvCoefficients &result) {
  for (std::int64_t c = 0; c < graph.num_cells; ++c) {
    const auto first = half.begin() + c * graph.width;
    if (std::any_of(first, first + graph.width, [](double t) { return t < 0; }) &&
        result.num_negative++ < std::int64_t(cells_in_messages))
      result.first_negative.push_back(static_cast<std::int32_t>(c));
  }
}

// Prescribed values as ghosts, in the order of boundary facets.
void add_ghosts(const Mesh &mesh, const CellGraph &graph, const std::vector<bool> &prescribed,
                const std::vector<double> &half, FvCoefficients &result) {
  EllpackMatrix &matrix = result.matrix;
  for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f) {
    const FacetRef &ref = mesh.facets[f].minus;
    const std::int64_t slot = graph.slot(ref);
    const auto facet_class = static_cast<std::size_t>(mesh.facets[f].facet_class);
    if (graph.neighbour[slot] >= 0 || facet_class >= prescribed.size() || !prescribed[facet_class])
      continue;
    const std::int64_t cell = slot / graph.width;
    matrix.index[slot] = static_cast<std::int32_t>(matrix.num_columns());
    matrix.value[slot] = half[slot] / result.volume[cell];
    matrix.num_ghosts += 1;
    result.ghost_facet.push_back(f);
    result.places.push_back(CellShape(mesh, mesh.sets[ref.set], ref.cell).facet(ref.facet).middle);
  }
}

} // namespace

std::string FvCoefficients::negative_cells(int dim) const {
  if (num_negative == 0)
    return "";
  std::string text = fmt::format("{} cells, first", num_negative);
  for (const std::int32_t cell : first_negative)
    text += fmt::format("{} {} at ({:.6g})", cell == first_negative.front() ? "" : ",", cell,
                        fmt::join(places[cell].begin(), places[cell].begin() + dim, ", "));
  return text;
}

FvCoefficients make_fv_coefficients(const Mesh &mesh, const CellGraph &graph,
                                    const std::vector<double> &conductivity,
                                    const std::vector<bool> &prescribed) {
  FvCoefficients result;
  result.volume.resize(graph.num_cells);
  result.places.resize(graph.num_cells);
  const std::vector<double> half = half_transmissibilities(
      mesh, graph, Conductivity(conductivity, graph.num_cells, mesh.dim), result);
  EllpackMatrix &matrix = result.matrix;
  matrix.num_rows = graph.num_cells;
  matrix.width = graph.width;
  matrix.index.resize(half.size());
  matrix.value.resize(half.size());
  parallel_ranges(graph.num_cells, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t slot = begin * graph.width; slot < end * graph.width; ++slot) {
      const std::int32_t neighbour = graph.neighbour[slot];
      const std::int64_t cell = slot / graph.width;
      matrix.index[slot] = neighbour < 0 ? static_cast<std::int32_t>(cell) : neighbour;
      if (neighbour < 0)
        continue;
      const std::int64_t other = std::int64_t(neighbour) * graph.width + graph.opposite[slot];
      matrix.value[slot] = joined(half[slot], half[other]) / result.volume[cell];
    }
  });
  add_ghosts(mesh, graph, prescribed, half, result);
  count_negative(graph, half, result);
  return result;
}

} // namespace weft
