// Nodal elements of discontinuous Galerkin methods: the parts of Element for them.
#pragma once

#include <span>
#include <vector>

#include "space/element.h"

namespace weft {

inline constexpr int highest_nodal_order = 9;

// Nodes of a line.
enum class LineNodes { gauss, lobatto };

// make_nodal_element() with these nodes of intervals and along the lines of products: Gauss points
// are what it takes for products, for quadrature at the nodes, and Gauss-Lobatto points for
// intervals.
Element make_nodal_element(CellType cell, int order, LineNodes lines);

// The cell as a product of simplices: intervals, triangles, tetrahedra; the first is that of the
// nodes that run fastest.
std::vector<CellType> simplex_factors(CellType cell);

// What Element::tabulate() does for nodal elements.
void tabulate_nodal(const Element &element, std::span<const double> points,
                    std::vector<double> &phi, std::vector<double> &dphi);

// What Element::facet_nodes() does for nodal elements of order 1 or more: by their places.
std::vector<int> nodal_facet_nodes(const Element &element, int facet);

} // namespace weft
