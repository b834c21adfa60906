// The kernels of a solve that was watched launch by launch, each described.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "run/explain/explain.h"
#include "run/explain/watched_solves.h"

namespace weft {

// What a model says of one of its kernels.
struct KnownKernel {
  KernelRecord record;
  KernelCost cost; // of a launch, on average
  std::optional<PaperSizes> paper;
};
std::map<std::string, KnownKernel> known_kernels(const std::vector<ModelWork> &works);

// Of a launch, on average; `known` may be null. `counted`: by a formula, else by the sizes of its
// arrays.
KernelCost mean_cost(const KernelProfile &profile, const KnownKernel *known, bool &counted);

// `works`: of the model, for what its kernels cost and are called; `shared`: what all records have
// in common. Totals are means over the solves.
std::vector<ExplainedKernel> explain_kernels(const WatchedSolves &solves,
                                             const std::vector<ModelWork> &works,
                                             const KernelRecord &shared, const DeviceInfo &device,
                                             ModelledTimer &timer);

} // namespace weft
