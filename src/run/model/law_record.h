// What records of a law's kernels say of them without a measurement.
#pragma once

#include "cost/kernel_record.h"
#include "op/law/law_rates.h"

namespace weft {

// Form, cells, device, precision, dofs: the same of all kernels.
KernelRecord shared_record(LawRates &op, const Discretisation &d);

// One record of the kernels of a part of a stage, of all cell types. Operations are those that
// cells need.
KernelRecord make_law_record(LawRates &op, const Discretisation &d, DgStage part,
                             const StageUpdate &update);

} // namespace weft
