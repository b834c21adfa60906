// Matrices of nodal elements on their reference cells, for discontinuous Galerkin methods.
#pragma once

#include <vector>

#include "space/nodal_element.h"

namespace weft {

// Nodes in lines: direction d of a reference cell is differentiated along pencils of `size` nodes,
// of which pencil p has the nodes base(p) + stride*i. Simplices have one pencil with all nodes,
// cells that are products have those of their factors.
struct Pencils {
  int size = 0;
  int count = 0;
  int stride = 1;
  int inner = 1; // base(p) = p % inner + (p / inner) * outer
  int outer = 0;
  std::vector<double> derivative;      // [i, j]: of interpolated polynomials, at the pencil's nodes
  std::vector<double> weak_derivative; // [i, j]: M^-1 derivative^T M
  int base(int p) const { return p % inner + p / inner * outer; }
};

struct NodalFacet {
  CellType type;
  // Where fluxes are evaluated, [point, dim] in the cell: nodes of the facet's own element
  // (make_nodal_element() of its type and order, its vertices as facet_vertices() has them), on
  // intervals Gauss points or Gauss-Lobatto points. Of order 0 the facet's middle.
  std::vector<double> points;
  std::vector<double> own_points; // [point, dim - 1]: in the facet
  // A polynomial's value at a point is the sum of trace[point, entry] times its value at node
  // nodes[point, entry] of the cell. Simplices have one entry, the node at the point; lines of
  // products that meet the facet, and edges of triangles with Gauss points, one a node of the line.
  int entries = 1;
  std::vector<int> nodes;
  std::vector<double> trace;
  // Row sums of the facet's mass matrix, which integrate over the reference facet: [point].
  std::vector<double> weights;
  // [node of the cell, point]: M^-1 times the transposed trace times the mass matrix of the facet's
  // points, all exact on reference cells, so that the lifted flux of a cell of volume ratio J and a
  // facet of area ratio J_f is lift J_f / J.
  std::vector<double> lift;
  int num_points() const { return static_cast<int>(weights.size()); }
};

struct NodalOperators {
  Element element;
  std::vector<Pencils> directions; // [dim]
  std::vector<NodalFacet> facets;
  // [i, j], of the reference cell, exact: diagonal in quadrilaterals and hexahedra, whose nodes are
  // those of Gauss's rule; of prisms the triangle's times the line's diagonal one.
  std::vector<double> mass;
  std::vector<double> weights; // [node]: row sums of the mass matrix

  int entries() const; // of a trace, the most of all facets
  int num_facet_points() const;
  std::vector<double> whole_lift() const; // [node, point of all facets]
};

// `element`: of make_nodal_element(). `edges`: points on the edges of triangles, which those of
// quadrilaterals beside them have to meet; quadrilaterals always have Gauss points there.
NodalOperators make_nodal_operators(const Element &element, LineNodes edges = LineNodes::lobatto);

} // namespace weft
