// The reference matrices of a cell type written out, and the geometry of one cell at its nodes and
// at the points of its facets.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Dense>

#include "op/problem/discretisation.h"
#include "space/nodal_operators.h"

namespace weft::reference {

// Full matrices of the cells of a set.
struct DgMatrixSet {
  NodalOperators operators;
  std::vector<Eigen::MatrixXd> derivative; // [direction](i, j): at node i
  std::vector<Eigen::MatrixXd> weak;       // [direction]: M^-1 D^T M
  std::vector<Eigen::MatrixXd> lift;       // [facet](node of the cell, point of the facet)
  std::vector<Eigen::MatrixXd> trace;      // [facet](point of the facet, node of the cell)
  // The element that metric terms are interpolated on, and its derivatives, [direction](point,
  // node of it): at its own nodes, those of the cell, and the points of each facet.
  Element metric_element;
  std::vector<Eigen::MatrixXd> at_own, at_nodes;
  std::vector<std::vector<Eigen::MatrixXd>> at_facets;
};
DgMatrixSet make_dg_matrix_set(const Discretisation &d, const Element &element);

// At order 0 everything is a mean over the cell or over a facet.
struct DgCellGeometry {
  double cell_volume = 0;
  std::vector<std::array<double, 3>> facet_middles;
  std::vector<double> facet_areas; // [facet]: length of the mean normal times the area
  std::vector<double> volume;      // [node]: of the cell over that of its reference cell
  // [r](node, d): volume ratio times the derivative of reference coordinate r by x_d.
  std::vector<Eigen::MatrixXd> metric;
  std::vector<std::vector<std::array<double, 3>>> positions; // [facet][point]
  // [facet][point]: outward normal, as long as the area ratio
  std::vector<std::vector<std::array<double, 3>>> normals;
};
DgCellGeometry make_dg_cell_geometry(const Discretisation &d, const DgMatrixSet &matrices, int set,
                                     std::int32_t cell);

} // namespace weft::reference
