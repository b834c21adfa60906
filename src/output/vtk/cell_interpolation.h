// Values of one cell at the nodes of VTK's cell from those at an element's nodes.
#pragma once

#include <vector>

#include "space/element.h"

namespace weft {

// On quadrilaterals and hexahedra by sums over one direction at a time, else by a matrix.
class CellInterpolation {
public:
  // To the nodes of VTK's cell of an order, in its order.
  CellInterpolation(const Element &element, int vtk_order);

  int num_nodes() const { return num_nodes_; } // of the element
  int num_points() const { return num_points_; }
  // at_nodes: [node, component]; at_points: [vtk node, component].
  void apply(const double *at_nodes, int components, double *at_points) const;

private:
  void apply_lines(const double *at_nodes, int components, double *at_points) const;

  int dim_ = 0, num_nodes_ = 0, num_points_ = 0;
  std::vector<double> matrix_; // of a line: [point][node]; else of the cell, [vtk node][node]
  // Of products of lines, x fastest; else empty.
  std::vector<int> element_nodes_, vtk_nodes_;
};

} // namespace weft
