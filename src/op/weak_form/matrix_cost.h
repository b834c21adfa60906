// What kernels of element matrices cost, by closed formulas, and the sizes of Banas, Kruzel,
// Bielanski 2015 (tables 3 and 4) for their integrals.
#pragma once

#include "kernel/matrix/matrix_kernel.h"
#include "op/weak_form/form_cost.h"

namespace weft {

// Destination csr: of all blocks of the launch.
struct StageCounts {
  std::int64_t entries = 0;         // of all stages, without the dropped ones
  std::int64_t streamed_values = 0; // of them, written past the caches (see weft_copy)
  double stage_bytes = 0;           // of a stage, on average
};

// Work-groups and what each work-item does in turn, for a device.
void take_groups(MatrixVariant &variant, const DeviceInfo &device);
Launch matrix_launch(const MatrixVariant &variant, const PartCounts &counts);

// What the launch does; `counts` of the cells (or facets), for csr of their blocks.
KernelCost matrix_cost(const CellIntegral &integral, const MatrixVariant &variant,
                       const PartCounts &counts, const StageCounts &stage, const CellCost &cell);

} // namespace weft
