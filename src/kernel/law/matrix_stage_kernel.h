// The kernel of a Runge-Kutta stage whose rate is a matrix times the state.
#pragma once

#include <compare>
#include <string>

#include "kernel/law/dg_kernel.h"

namespace weft {

struct MatrixStageSpec {
  Precision precision = Precision::f64;
  int lanes = 1;
  bool has_constant = false; // the rate of the state zero is not zero
  bool stream = false;       // results are written past the caches
  DgUpdate update;
  auto operator<=>(const MatrixStageSpec &) const = default;
};

// kernels/fv/fv_matrix_stage.kernel; what an update does not use is an argument all the same, and
// not read.
KernelSource make_matrix_stage_kernel(const MatrixStageSpec &spec, const std::string &backend);

} // namespace weft
