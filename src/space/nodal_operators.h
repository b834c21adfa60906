// Matrices of nodal elements on their reference cells, for discontinuous Galerkin methods.
#pragma once

#include <vector>

#include "space/element.h"

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
  // Nodes of the cell on the facet, in the order of the facet's own element (make_nodal_element()
  // of its type and order, its vertices as facet_vertices() has them). Of order 0: the cell's node.
  std::vector<int> nodes;
  // Row sums of the facet's mass matrix, which integrate over the reference facet: [node].
  std::vector<double> weights;
  // [node of the cell, node of the facet]: M^-1 times the facet's mass matrix, both of reference
  // cells, so that the lifted flux of a cell of volume ratio J and a facet of area ratio J_f is
  // lift J_f / J. The facet's matrix is exact on simplices, on triangles of prisms, and along the
  // edges of these triangles; else by the Gauss-Lobatto rule. In products only rows of the facet's
  // own nodes are not zero (prisms: rows of the triangles that have one).
  std::vector<double> lift;
};

struct NodalOperators {
  Element element;
  std::vector<Pencils> directions; // [dim]
  std::vector<NodalFacet> facets;
  // [i, j], of the reference cell: exact on simplices, diagonal (by the Gauss-Lobatto rule) in
  // quadrilaterals and hexahedra; of prisms the triangle's times the line's diagonal one.
  std::vector<double> mass;
  std::vector<double> weights; // [node]: row sums of the mass matrix
};

// `element`: of make_nodal_element().
NodalOperators make_nodal_operators(const Element &element);

} // namespace weft
