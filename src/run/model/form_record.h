// What records of a form's kernels say of them without a measurement.
#pragma once

#include "cost/kernel_record.h"
#include "op/weak_form/form_operator.h"

namespace weft {

// Form, device, precision, dofs: the same of all kernels.
KernelRecord shared_record(FormOperator &op, const Discretisation &d);

// Adds what a launch is of: cells, element, variant.
void add_launch(KernelRecord &record, const FormOperator &op, const IntegralLaunch &launch);

// One record of all kernels of a kind: those of all cell types, with the sums over contributions.
// `seconds`: of one application.
KernelRecord make_kernel_record(FormOperator &op, const Discretisation &d, IntegralKind kind,
                                double seconds);

} // namespace weft
