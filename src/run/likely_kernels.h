// Kernels that most solves need, compiled while a geometry is meshed: Gmsh uses one core.
#pragma once

#include <atomic>

#include "base/precision.h"
#include "device/device.h"

namespace weft {

// Compiles the kernels of matrices, of multigrid's levels and of conjugate gradients, one program
// after the other until `stop`; returns at once where they are kept from an earlier run.
void compile_likely_kernels(Device &device, Precision precision, const std::atomic<bool> &stop);

} // namespace weft
