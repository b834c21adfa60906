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

// The kernels of a model's work, in its order, then others that it launches; `shared`: what their
// records have in common.
std::vector<ExplainedKernel> explain_work(const ModelWork &work, const KernelRecord &shared,
                                          ProfilingDevice &device, ModelledTimer &timer,
                                          int repeats);

} // namespace weft
