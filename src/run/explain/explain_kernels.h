// The kernels of a solve that was watched launch by launch, each described.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "device/profiling_device.h"
#include "run/explain/explain.h"
#include "run/explain/modelled_timing.h"

namespace weft {

// Solves that were watched, one after the other.
struct WatchedSolves {
  std::vector<std::map<std::string, StageProfile>> profiles; // of each
  std::vector<PairedSample> states;                          // of the machine, after each
  std::vector<double> seconds;                               // that each took
};

// `works`: of the model, for what its kernels cost and are called; `shared`: what all records have
// in common. Totals are means over the solves.
std::vector<ExplainedKernel> explain_kernels(const WatchedSolves &solves,
                                             const std::vector<ModelWork> &works,
                                             const KernelRecord &shared, const DeviceInfo &device,
                                             ModelledTimer &timer);

} // namespace weft
