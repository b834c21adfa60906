// A conservation law's pointwise functions as functions of kernel text.
#pragma once

#include <string>
#include <vector>

#include "kernel/law/dg_kernel.h"

namespace weft {

struct DgFunctions {
  std::string text;
  std::string crossing;      // text that the longest step has besides
  Operations flux;           // at a node
  Operations numerical_flux; // at a facet's node
  // [condition]: at a facet's node where a lane has it: of the flux, of the state outside
  std::vector<Operations> boundary_flux, boundary_outer;
  Operations finish;        // at a node
  Operations crossing_rate; // at a node; of finite volumes of a cell, without its facets
  Operations conormal;      // of finite volumes with diffusion: at a facet, of both sides
  Operations positive;      // of a state
};

// weft_node_flux, weft_numerical_flux, weft_boundary_flux, weft_boundary_outer, weft_finish and
// weft_positive; of the longest step weft_crossing_rate. Of finite volumes not weft_node_flux;
// instead of weft_crossing_rate what kernels/fv/fv_crossing.kernel calls.
DgFunctions print_dg_functions(const DgKernelSpec &spec);

// Operations of a cell in a stage (of the limiter of states none are counted); on the boundary
// without its conditions. `padded`: with the rows past the ends of blocks.
Operations dg_operations(DgStage stage, const DgKernelSpec &spec, const DgFunctions &functions,
                         bool padded);

} // namespace weft
