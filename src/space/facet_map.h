// The map from a facet's own reference coordinates into those of its cell.
#pragma once

#include <span>
#include <vector>

#include "mesh/cell_type.h"

namespace weft {

// Affine: facets of reference cells are parallelograms and triangles. Along the facet's axes lie
// its second vertex and its last one (the third of a triangle, the fourth of a quadrilateral).
struct FacetMap {
  std::vector<double> origin;   // [cell dim]: the facet's first vertex
  std::vector<double> tangents; // [facet dim, cell dim]

  // points: [point, facet dim]; returns [point, cell dim]. A facet without dimensions has one
  // point.
  std::vector<double> to_cell(std::span<const double> points) const;
};

FacetMap make_facet_map(CellType cell, int facet);

} // namespace weft
