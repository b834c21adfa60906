#include "space/facet_frame.h"

#include <algorithm>

#include "base/error.h"

namespace weft {

FacetFrame facet_frame(CellType cell, int facet) {
  require(cell == CellType::quadrilateral || cell == CellType::hexahedron,
          "frames are of facets of products of lines");
  const int dim = dimension(cell);
  const auto corners = reference_vertices(cell);
  const auto of_facet = facet_vertices(cell, facet);
  // The direction in which all corners of the facet have the same coordinate.
  int normal = 0;
  const auto coordinate = [&](int vertex) { return corners[vertex * dim + normal]; };
  while (!std::all_of(of_facet.begin(), of_facet.end(),
                      [&](int vertex) { return coordinate(vertex) == coordinate(of_facet[0]); }))
    ++normal;
  const bool far = coordinate(of_facet[0]) > 0.5;
  if (dim == 2) {
    // Right-handed are (x, y) and (1 - y, x), and both with two directions reversed.
    const FrameDirection along = normal == 1 ? FrameDirection{0, far} : FrameDirection{1, !far};
    return {along, FrameDirection{normal, far}, {}};
  }
  const int next = (normal + 1) % 3, after = (normal + 2) % 3;
  return {FrameDirection{far ? after : next, false}, FrameDirection{far ? next : after, false},
          FrameDirection{normal, far}};
}

} // namespace weft
