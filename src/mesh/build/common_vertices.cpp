#include "mesh/build/common_vertices.h"

namespace weft {

namespace {

// Vertices of a facet about their mean.
struct Corners {
  int count = 0;
  std::array<Position, 4> at{};
};

Corners facet_corners(const Mesh &mesh, const FacetRef &ref) {
  const CellSet &set = mesh.sets[ref.set];
  Corners corners;
  Position mean = {0, 0, 0};
  const auto vertices = facet_vertices(set.type, ref.facet);
  for (const int v : vertices) {
    const std::int64_t node = set.nodes[std::int64_t(ref.cell) * set.nodes_per_cell + v];
    Position x = {0, 0, 0};
    for (int d = 0; d < mesh.dim; ++d) {
      x[d] = mesh.coordinates[node * mesh.dim + d];
      mean[d] += x[d] / static_cast<double>(vertices.size());
    }
    corners.at[corners.count++] = x;
  }
  for (int v = 0; v < corners.count; ++v)
    for (int d = 0; d < 3; ++d)
      corners.at[v][d] -= mean[d];
  return corners;
}

} // namespace

double square_distance(const Position &a, const Position &b) {
  double sum = 0;
  for (int d = 0; d < 3; ++d)
    sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

VertexPairs common_vertices(const Mesh &mesh, const FacetRef &minus, const FacetRef &plus) {
  const Corners a = facet_corners(mesh, minus), b = facet_corners(mesh, plus);
  VertexPairs pairs = {-1, -1, -1, -1};
  for (int v = 0; v < a.count; ++v) {
    int nearest = 0;
    for (int w = 1; w < b.count; ++w)
      if (square_distance(a.at[v], b.at[w]) < square_distance(a.at[v], b.at[nearest]))
        nearest = w;
    pairs[v] = static_cast<std::int8_t>(nearest);
  }
  return pairs;
}

} // namespace weft
