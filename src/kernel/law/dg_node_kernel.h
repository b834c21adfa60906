// Kernels that look at each node of a discontinuous state alone: no facets, no derivatives.
#pragma once

#include <string>
#include <vector>

#include "base/precision.h"
#include "cost/kernel_cost.h"
#include "form/law/law_reaction.h"
#include "mesh/cell_type.h"

namespace weft {

// Whose nodes: the cells of one type.
struct DgNodeSpec {
  std::string form_name = "form";
  CellType cell = CellType::triangle;
  int order = 1;
  int num_nodes = 1; // of a cell
  Precision precision = Precision::f64;
  int lanes = 1;
  bool state_by_cell = false; // see dg_state_lies_by_cell()
};

// A kernel ready to be compiled. Arguments by their names in the text: num_nodes (those of all lane
// groups), nodes_per_item, first_unit, time, q, and, where expressions ask for them, known,
// coordinates, cell_size, cell_class, cell_table; of reactions h (the length of a step) and
// substeps; of first times before, values, first_times.
struct DgNodeKernel {
  std::string name;
  std::string text;
  std::vector<std::string> arguments;
  Operations operations; // at a node; of reactions in one step
  int place_values = 0;  // of a node, beside the state: known ones and coordinates
  int parameters = 0;    // by region
  bool reads_cell_size = false;
};

// kernels/dg/node_react.kernel
DgNodeKernel make_reaction_kernel(const DgNodeSpec &spec, const LawReactions &reactions,
                                  bool rush_larsen, const std::string &backend);

// Scalar functions of the fields at a node, without sides.
struct NodeExpressions {
  int dim = 2;
  std::vector<FieldSpec> fields;
  std::vector<FieldSpec> auxiliary;
  PointwiseFunction function;
  std::vector<TableEntry> cell_table;
};

// kernels/dg/node_first_times.kernel
DgNodeKernel make_first_times_kernel(const DgNodeSpec &spec, const NodeExpressions &expressions,
                                     const std::string &backend);

} // namespace weft
