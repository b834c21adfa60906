#include "mesh/cell_volume.h"

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

double triple_product(const double *a, const double *b, const double *c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// Gauss' theorem over the facets, cut into triangles; x is relative to vertex 0.
double enclosed_volume(CellType cell, const double (*x)[3]) {
  double volume = 0;
  for (int f = 0; f < num_facets(cell); ++f) {
    const auto v = facet_vertices(cell, f);
    for (std::size_t k = 1; k + 1 < v.size(); ++k)
      volume += triple_product(x[v[0]], x[v[k]], x[v[k + 1]]) / 6;
  }
  return volume;
}

} // namespace

CellSize cell_size(CellType cell, std::span<const std::int32_t> nodes, const double *coordinates,
                   int stride) {
  const int dim = dimension(cell), vertices = num_vertices(cell);
  double x[8][3] = {};
  double longest = 0;
  const double *origin = coordinates + static_cast<std::int64_t>(nodes[0]) * stride;
  for (int v = 1; v < vertices; ++v) {
    const double *position = coordinates + static_cast<std::int64_t>(nodes[v]) * stride;
    double square = 0;
    for (int d = 0; d < dim; ++d) {
      x[v][d] = position[d] - origin[d];
      square += x[v][d] * x[v][d];
    }
    longest = std::max(longest, square);
  }
  CellSize size;
  size.length = std::sqrt(longest);
  if (cell == CellType::tetrahedron)
    size.volume = triple_product(x[1], x[2], x[3]) / 6;
  else if (dim == 3)
    size.volume = enclosed_volume(cell, x);
  else
    for (int v = 1; v + 1 < vertices; ++v)
      size.volume += (x[v][0] * x[v + 1][1] - x[v][1] * x[v + 1][0]) / 2;
  return size;
}

} // namespace weft
