// Kernels that look at each node of a discontinuous state alone: no facets, no derivatives.
#pragma once

#include <string>
#include <vector>

#include "base/precision.h"
#include "form/law/law_reaction.h"
#include "kernel/text/kernel_source.h"
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

// kernels/dg/node_react.kernel; its cost is that of one step.
KernelSource make_reaction_kernel(const DgNodeSpec &spec, const LawReactions &reactions,
                                  bool rush_larsen, const std::string &backend);

// Scalar functions of the fields at a node, without sides.
struct NodeExpressions {
  int dim = 2;
  std::vector<FieldSpec> fields;
  std::vector<FieldSpec> auxiliary;
  PointwiseFunction function;
  std::vector<TableEntry> cell_table;
};

// kernels/dg/node_arrival_times.kernel
KernelSource make_first_times_kernel(const DgNodeSpec &spec, const NodeExpressions &expressions,
                                     const std::string &backend);

} // namespace weft
