// Products with reference matrices by classes of symmetry: how kernels/dg/symmetry.kernel cuts
// them.
//
// The rates of a class of combinations of nodes (space/nodal_symmetry.h) are one matrix times all
// combinations that have to do with them: of the fluxes along each axis, of the facets' fluxes.
// Tetrahedra then take about a quarter of the multiply-adds, triangles half, and a few additions at
// each node more.
#pragma once

#include <string>
#include <vector>

#include "kernel/law/dg_kernel.h"
#include "space/nodal_symmetry.h"

namespace weft {

// Kernels that have products by classes: of simplices with straight sides, and without work-groups
// of nodes.
bool dg_knows_symmetry(const DgKernelSpec &spec);
bool dg_uses_symmetry(DgStage stage, const DgKernelSpec &spec);

// The matrices of one stage; `rows`: of a register block.
struct DgClasses {
  struct Block {
    int first_input = 0, inputs = 0; // values that it reads
    int first_entry = 0;             // of the matrix, [input][row]
    int rows = 0;                    // that are not past the class's end
  };
  NodalSymmetry symmetry;
  bool has_derivative = false, has_lift = false;
  int inputs = 0; // of all classes
  // Indices of combinations among inputs, and of rates among the rows of all blocks; in the order
  // of SymmetricPoints.
  std::vector<int> derivative_index; // [axis, node]
  std::vector<int> lift_index;       // [facet point]
  std::vector<int> rate_index;       // [node]
  std::vector<Block> blocks;
  int entries = 0;

  double needed_products() const;     // multiply-adds a component: without rows past ends
  double combining_additions() const; // a component
};
DgClasses dg_classes(DgStage stage, const NodalOperators &operators, int rows);
std::vector<double> dg_class_matrix(const DgClasses &classes, const NodalOperators &operators,
                                    int rows);

// Macros and tables of kernels/dg/symmetry.kernel.
std::string dg_symmetry_text(const DgClasses &classes, int rows, Precision precision);

} // namespace weft
