#include "mesh/cell_volume.h"

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

double triple_product(const double *a, const double *b, const double *c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// Gauss' theorem over the facets; x is relative to vertex 0. A quadrilateral counts as the mean of
// its two cuts into triangles, which is exact for the bilinear face.
double enclosed_volume(CellType cell, const double (*x)[3]) {
  double volume = 0;
  for (int f = 0; f < num_facets(cell); ++f) {
    const auto v = facet_vertices(cell, f);
    const auto under = [&](int a, int b, int c) {
      return triple_product(x[v[a]], x[v[b]], x[v[c]]) / 6;
    };
    if (v.size() == 3)
      volume += under(0, 1, 2);
    else
      volume += (under(0, 1, 2) + under(0, 2, 3) + under(1, 2, 3) + under(1, 3, 0)) / 2;
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
