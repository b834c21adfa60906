// Lagrange elements on the six cell types: nodes, basis functions, who shares which node.
#pragma once

#include <span>
#include <vector>

#include "mesh/cell_type.h"

namespace weft {

// Where a node of an element sits: on which vertex, edge, facet-like face or in the interior.
struct NodeEntity {
  int dim = 0;    // 0 vertex, 1 edge, 2 face, 3 interior of a 3D cell (in 2D: 2 is the interior)
  int index = 0;  // local number of the vertex, edge or face
  int within = 0; // number of the node among those of this entity, in the entity's own orientation
};

// Lagrange elements of higher orders take Gauss-Lobatto points along lines, and the warp-and-blend
// nodes of make_nodal_element() in triangles, in place of equal distances: interpolation stays
// well-conditioned.
inline constexpr int highest_equispaced_order = 4;

// A scalar Lagrange element of make_element(), or one of make_nodal_element() for discontinuous
// Galerkin methods. Order 0 is the cell-constant element (DG0).
// Nodes of make_element(): vertices first (as in the mesh), then edges, faces, interior. Nodes of
// nodal elements all belong to the cell's interior, since cells share none. Pyramids of order 1 and
// 2 use the rational basis (5 and 14 nodes).
struct Element {
  CellType cell;
  int order = 1;
  std::vector<double> nodes;        // [node, dim], reference coordinates
  std::vector<NodeEntity> entities; // [node]
  // [node, vertex]: a node is the mean of the cell's vertices with these integer weights. Only
  // vertices of the node's entity have any, so that neighbours agree on a shared node's weights.
  std::vector<int> vertex_weights;
  // Pyramids and nodal elements (products: of their lines): the nodal basis in terms of the modal
  // one, [mode, node] (basis.h, modal_basis.h). Else empty.
  std::vector<double> basis_coefficients;
  bool nodal = false; // of make_nodal_element(): has no vertex weights

  int num_nodes() const { return static_cast<int>(entities.size()); }
  // Basis functions at points: phi[point, node], dphi[point, node, dim]; points[point, dim].
  void tabulate(std::span<const double> points, std::vector<double> &phi,
                std::vector<double> &dphi) const;
  // Second derivatives at points: [point, node, dim, dim]. Those of pyramids have no limit at the
  // apex and are not numbers there.
  std::vector<double> tabulate_hessians(std::span<const double> points) const;
  // Local nodes that lie on a local facet, in the node order of the facet's own element of this
  // order with vertices as facet_vertices() has them. None for order 0 and Gauss points.
  std::vector<int> facet_nodes(int facet) const;
  // Local nodes on a local edge: those at its ends, then those between. None as above.
  std::vector<int> edge_nodes(int edge) const;
};

// Where the nodes of make_element() would be at equal distances: [node, dim].
std::vector<double> equispaced_nodes(const Element &element);

// Local vertices of the entity a node sits on.
std::vector<int> entity_vertices(CellType cell, const NodeEntity &entity);

// The highest order of make_element().
int highest_order(CellType cell);

// Orders: 0; 1 and 2 on every cell; 3 and 4 on all but pyramids; 5 and 6 on triangles, prisms,
// quadrilaterals and hexahedra; 7 and 8 on the last two.
// Throws `unsupported`, saying which are, for others. Intervals and points too (facets of cells).
Element make_element(CellType cell, int order);

// Elements of discontinuous Galerkin methods, orders 0 to 9, on pyramids 0: Gauss-Lobatto nodes on
// intervals; warp-and-blend nodes on triangles and tetrahedra (Warburton 2006,
// doi:10.1007/s10665-006-9086-6), those of a triangle being the same as of a tetrahedron's face and
// a prism's base: blended for the tetrahedron in 2D too, which costs the triangle little (Lebesgue
// constant of order 9: 6.0 for 5.7). Elsewhere products with Gauss points along lines. Node i: x
// fastest, then y (prism: the triangle's nodes, then z). Order 0 has its node at the centroid. The
// nodes have all symmetries of the cell.
// Throws `unsupported` for other orders, on pyramids above 0.
Element make_nodal_element(CellType cell, int order);

} // namespace weft
