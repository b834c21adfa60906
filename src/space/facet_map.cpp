#include "space/facet_map.h"

namespace weft {

std::vector<double> FacetMap::to_cell(std::span<const double> points) const {
  const std::size_t dim = origin.size(), facet_dim = tangents.size() / dim;
  const std::size_t num_points = facet_dim == 0 ? 1 : points.size() / facet_dim;
  std::vector<double> result;
  for (std::size_t q = 0; q < num_points; ++q)
    for (std::size_t d = 0; d < dim; ++d) {
      double x = origin[d];
      for (std::size_t axis = 0; axis < facet_dim; ++axis)
        x += points[q * facet_dim + axis] * tangents[axis * dim + d];
      result.push_back(x);
    }
  return result;
}

FacetMap make_facet_map(CellType cell, int facet) {
  const int dim = dimension(cell);
  const auto corners = facet_vertices(cell, facet);
  const auto vertex = [&](int v) { return reference_vertices(cell).subspan(v * dim, dim); };
  FacetMap map;
  map.origin.assign(vertex(corners[0]).begin(), vertex(corners[0]).end());
  for (int axis = 0; axis < dim - 1; ++axis) {
    const auto end = vertex(axis == 0 ? corners[1] : corners.back());
    for (int d = 0; d < dim; ++d)
      map.tangents.push_back(end[d] - map.origin[d]);
  }
  return map;
}

} // namespace weft
