// Quadrature on reference cells, and on the facets of reference cells.
#pragma once

#include <vector>

#include "mesh/cell_type.h"

namespace weft {

struct Quadrature {
  int dim = 0;
  std::vector<double> points;  // [point, dim]
  std::vector<double> weights; // [point]; they sum to the reference volume
  int num_points() const { return static_cast<int>(weights.size()); }
};

// Points along the lines of quadrilaterals and hexahedra: Gauss-Lobatto points are the nodes of
// elements of orders 1, 2, and 5 and above.
enum class LinePoints { gauss, gauss_lobatto };

// Exact for polynomials of total degree `degree` (simplices; tensor cells: of that degree in each
// direction; pyramids: rational functions of the pyramid space of that degree).
// As few points as known, all weights positive.
Quadrature make_quadrature(CellType cell, int degree, LinePoints points = LinePoints::gauss);

// The rule of a facet mapped into the reference coordinates of the cell it belongs to: points
// [point, cell dim]; weights are those of the facet's own reference cell. `tangents` holds the
// derivative of the map, [facet dim, cell dim], constant on a facet.
struct FacetQuadrature {
  Quadrature points;
  std::vector<double> tangents;
};
FacetQuadrature make_facet_quadrature(CellType cell, int facet, int degree,
                                      LinePoints points = LinePoints::gauss);
// The same of an edge of a cell, from its lower vertex to the higher.
FacetQuadrature make_edge_quadrature(CellType cell, int edge, int degree,
                                     LinePoints points = LinePoints::gauss);
// A vertex of a cell: one point of weight 1, without tangents.
FacetQuadrature make_vertex_quadrature(CellType cell, int vertex);

} // namespace weft
