// What the kernels of finite volumes read and write, by closed formulas of a few counts.
#pragma once

#include "op/law/dg_cost.h"

namespace weft {

// Adds the bytes and indirect accesses of a launch: dg_cost() of laws with finite_volume.
void count_fv_bytes(DgStage stage, const DgKernelSpec &spec, const DgExtent &extent,
                    const DgTableSizes &tables, KernelCost &cost);

} // namespace weft
