// VTK's cells of order 1 to 9 (pyramids: 1 and 2), and where their nodes are.
#pragma once

#include <optional>
#include <vector>

#include "space/element.h"

namespace weft {

// The number of VTK's cell type: linear cells, full quadratic cells (pyramids: those of 13 nodes),
// Lagrange cells from order 3. Throws `invariant` for what neither has.
int vtk_cell_type(CellType cell, int order);

// Reference coordinates (ours) of the nodes of VTK's cell, in VTK's order: [node, dim].
// Source: vtkHigherOrderTriangle, -Tetra, -Quadrilateral, -Hexahedron, -Wedge,
// vtkBiQuadraticQuadraticWedge, vtkQuadraticPyramid of VTK 9.1, checked against the library by
// tests/output/check_vtu.py.
std::vector<double> vtk_nodes(CellType cell, int order);

struct VtkCell {
  CellType cell = CellType::triangle;
  int order = 1;
};
// The inverse of vtk_cell_type() for a cell of so many nodes; nothing where a type is none of
// these, or has another number of nodes.
std::optional<VtkCell> vtk_cell_of(int type, std::int64_t num_nodes);

// The node of our element at each node of VTK's cell of the same order.
std::vector<int> vtk_node_order(const Element &element);

} // namespace weft
