// Times the kernels of a run, for its records.
#pragma once

#include <functional>
#include <vector>

#include "cost/kernel_record.h"
#include "run/simulation.h"

namespace weft {

// Seconds of `repeats` calls of `work`, each waited for; sorted.
std::vector<double> time_calls(Device &device, int repeats, const std::function<void()> &work);
double median(std::vector<double> values);

// Applies the residual once and notes timings.first_kernel_s: from process start to its end.
void first_residual(Simulation &s);

// Of a law, one record of each kernel of a stage. Else one record of the operator's application to
// a vector (linearised where it was used, else the residual): the kernels of all cell types with
// the sums over contributions.
std::vector<KernelRecord> time_kernels(Simulation &s);

// A record with what the operator knows of itself; `seconds` of one application of `kind`.
KernelRecord make_kernel_record(FormOperator &op, const Discretisation &d, IntegralKind kind,
                                double seconds);

// The same of a part of a law's stage, but for its time. Operations are those that cells need.
KernelRecord make_law_record(DgOperator &op, const Discretisation &d, DgStage stage,
                             const StageUpdate &update);
// The same of a stage with the rate as a matrix, which the simulation has.
KernelRecord make_matrix_record(const Simulation &s, const StageUpdate &update);

} // namespace weft
