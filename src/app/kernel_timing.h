// Times the kernels of a run, for its records.
#pragma once

#include <functional>
#include <vector>

#include "app/simulation.h"
#include "kernel/kernel_record.h"

namespace weft {

// Seconds of `repeats` calls of `work`, each waited for; sorted.
std::vector<double> time_calls(Device &device, int repeats, const std::function<void()> &work);
double median(std::vector<double> values);

// Applies the residual once and notes timings.first_kernel_s: from process start to its end.
void first_residual(Simulation &s);

// One record of the operator's application to a vector (linearised where it was used, else the
// residual): the kernels of all cell types with the sums over contributions.
std::vector<KernelRecord> time_kernels(Simulation &s);

// A record with what the operator knows of itself; `seconds` of one application of `kind`.
KernelRecord make_kernel_record(FormOperator &op, const Discretisation &d, IntegralKind kind,
                                double seconds);

} // namespace weft
