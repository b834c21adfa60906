// A conservation law's pointwise functions as functions of kernel text.
#pragma once

#include <string>
#include <vector>

#include "kernel/dg_kernel.h"

namespace weft {

// What the arrays of a point hold, see kernels/dg/cell.kernel.
struct DgValues {
  int components = 0;
  int gradients = 0; // components * dim, or 0
  int known = 0;
  int total() const { return components + gradients + known; }
};
DgValues dg_values(const ConservationLaw &law);

struct DgFunctions {
  std::string text;
  Operations flux;           // at a node
  Operations numerical_flux; // at a facet's node
  // [condition]: at a facet's node where a lane has it: of the flux, of the state outside
  std::vector<Operations> boundary_flux, boundary_outer;
  Operations finish;        // at a node
  Operations crossing_rate; // at a node
};

// weft_node_flux, weft_numerical_flux, weft_boundary_flux, weft_boundary_outer, weft_finish,
// weft_crossing_rate and weft_positive.
DgFunctions print_dg_functions(const DgKernelSpec &spec);

// Of a cell in a stage (none of the limiter's are counted), with sums over rows for `rows_done`
// nodes; on the boundary without its conditions.
Operations dg_operations(DgStage stage, const DgKernelSpec &spec, const DgFunctions &functions,
                         int rows_done);

} // namespace weft
