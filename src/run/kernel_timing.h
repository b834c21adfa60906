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

// Takes the residual of a model with a system of equations once and notes timings.first_kernel_s,
// from process start to its end.
void first_residual(Simulation &s);

// A record of each work that the model wants in a run's results.
std::vector<KernelRecord> time_kernels(Simulation &s);

} // namespace weft
