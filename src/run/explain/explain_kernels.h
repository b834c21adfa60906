// The kernels of a run, each timed by itself and described.
#pragma once

#include <functional>
#include <map>

#include "device/profiling_device.h"
#include "run/explain/explain.h"
#include "run/explain/modelled_timing.h"

namespace weft {

struct TimedKernel {
  std::vector<NamedCost> costs; // of the launches that a sample is of; none: not known
  PairedSamples samples;
};
using TimedKernels = std::map<std::string, TimedKernel>;

// Runs `work` several times, each launch by itself, with the state of the machine beside. `each`: a
// sample is one launch of a name, else all of them together.
void profile_kernels(ProfilingDevice &device, ModelledTimer &timer, int repeats,
                     const std::function<void()> &work, bool each, TimedKernels &kernels);

// `record`: what is known beside times and costs.
ExplainedKernel explained_kernel(const std::string &use, KernelRecord record,
                                 const TimedKernel &timed, ModelledTimer &timer);

// Of a conservation law: a stage of its scheme, and the search for the longest step.
std::vector<ExplainedKernel> explain_law(Simulation &s, ProfilingDevice &device,
                                         const MachineFigures &figures, int repeats);

} // namespace weft
