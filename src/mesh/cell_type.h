// The cell types and their topology. Vertices are numbered as in Gmsh and VTK (linear cells agree).
//
// Facets of 3D cells: the base first, then the sides in the order of the base's edges 01, 12, ...,
// then the top where there is one. Facets of 2D cells: 01, 12, ..., closing at vertex 0.
//   tetrahedron  021  013  123  203
//   pyramid      0321 014  124  234  304
//   prism        021  0143 1254 2035 345
//   hexahedron   0321 0154 1265 2376 3047 4567
// Edges, always from the lower to the higher local vertex: those of the base in its order, those of
// the top in the same order (prism, hexahedron), then the upright ones.
//   triangle     01 12 02
//   quadrilateral 01 12 23 03            (2D: edge e joins the vertices of facet e)
//   tetrahedron  01 12 02 | 03 13 23
//   pyramid      01 12 23 03 | 04 14 24 34
//   prism        01 12 02 | 34 45 35 | 03 14 25
//   hexahedron   01 12 23 03 | 45 56 67 47 | 04 15 26 37
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace weft {

enum class CellType : std::uint8_t {
  point,
  interval,
  triangle,
  quadrilateral,
  tetrahedron,
  pyramid,
  prism,
  hexahedron,
};

// Topological dimension: 0 to 3.
int dimension(CellType cell);
int num_vertices(CellType cell);
// Facets: the (d-1)-dimensional faces. Edges: the 1-dimensional ones (for an interval: itself).
int num_facets(CellType cell);
int num_edges(CellType cell);
// Type of a local facet, and its vertices, counter-clockwise seen from outside (3D); in 2D the edge
// runs counter-clockwise round the cell.
CellType facet_type(CellType cell, int facet);
std::span<const int> facet_vertices(CellType cell, int facet);
std::array<int, 2> edge_vertices(CellType cell, int edge);
// Volume of the reference cell: triangle 1/2, tetrahedron 1/6, prism 1/2, pyramid 1/3, others 1.
double reference_volume(CellType cell);
// "triangle", ... as in the case language.
std::string to_string(CellType cell);
// The inverse; throws an input error that lists the names.
CellType cell_type_from_name(const std::string &name);
// Reference coordinates of the vertices, [vertex][dimension]: unit simplices, [0,1]^d, prism =
// triangle x [0,1], pyramid = base [0,1]^2 at z = 0 with apex (1/2, 1/2, 1).
std::span<const double> reference_vertices(CellType cell);

} // namespace weft
