#include "run/explain/explain_kernels.h"

#include <algorithm>
#include <numeric>

#include "run/kernel_timing.h"

namespace weft {

std::map<std::string, KnownKernel> known_kernels(const std::vector<ModelWork> &works) {
  std::map<std::string, KnownKernel> known;
  for (const ModelWork &work : works)
    for (const ModelKernel &kernel : work.kernels) {
      if (kernel.costs.empty() || known.count(kernel.record.kernel) > 0)
        continue;
      KernelCost cost;
      for (const NamedCost &named : kernel.costs)
        cost += named.cost;
      known[kernel.record.kernel] = {
          kernel.record, 1.0 / static_cast<double>(kernel.costs.size()) * cost, kernel.paper};
    }
  return known;
}

KernelCost mean_cost(const KernelProfile &profile, const KnownKernel *known, bool &counted) {
  const auto launches = static_cast<double>(profile.seconds.size());
  KernelCost cost;
  counted = true;
  if (profile.num_counted > 0) {
    cost = 1.0 / static_cast<double>(profile.num_counted) * profile.counted;
  } else if (known != nullptr) {
    cost = known->cost;
  } else {
    counted = false;
    cost.bytes_read = profile.array_bytes / launches;
    cost.launches = 1;
  }
  for (const auto &[octave, bytes] : profile.near_array_bytes)
    cost.near_bytes[octave] = cost.bytes() * bytes / profile.array_bytes;
  return cost;
}

namespace {

struct Gathered {
  KernelProfile profile; // of all solves
  PairedSamples samples; // one a solve
};

} // namespace

std::vector<ExplainedKernel> explain_kernels(const WatchedSolves &solves,
                                             const std::vector<ModelWork> &works,
                                             const KernelRecord &shared, const DeviceInfo &device,
                                             ModelledTimer &timer) {
  std::map<std::pair<std::string, std::string>, Gathered> gathered; // by stage and kernel
  for (std::size_t i = 0; i < solves.profiles.size(); ++i)
    for (const auto &[stage, of_stage] : solves.profiles[i])
      for (const auto &[name, profile] : of_stage.kernels) {
        Gathered &all = gathered[{stage, name}];
        all.profile += profile;
        PairedSample sample = solves.states[i];
        sample.seconds = median(profile.seconds);
        all.samples.add(sample, timer.is_undisturbed(sample));
      }
  const std::map<std::string, KnownKernel> known = known_kernels(works);
  const auto num_solves = static_cast<double>(solves.profiles.size());
  std::vector<ExplainedKernel> kernels;
  for (const auto &[where, all] : gathered) {
    const auto found = known.find(where.second);
    ExplainedKernel kernel{.stage = where.first};
    kernel.record = found == known.end() ? shared : found->second.record;
    kernel.record.kernel = where.second;
    kernel.launches = static_cast<double>(all.profile.seconds.size()) / num_solves;
    kernel.total_s =
        std::accumulate(all.profile.seconds.begin(), all.profile.seconds.end(), 0.0) / num_solves;
    const KernelCost cost =
        mean_cost(all.profile, found == known.end() ? nullptr : &found->second, kernel.counted);
    if (found != known.end())
      kernel.paper = found->second.paper;
    const std::vector<NamedCost> named = {{where.second, cost}};
    KernelRecord &r = kernel.record;
    r.flops = r.flops.value_or(cost.operations.flops());
    r.bytes = cost.bytes();
    set_time(r, timer.compare(all.samples, named, *r.flops, *r.bytes));
    kernel.cost = cost;
    kernel.prediction = timer.predicted(all.samples, named);
    kernel.from_memory = part_from_memory(cost, device);
    kernel.least_s =
        std::max(kernel.prediction.of(CostTerm::memory), *r.flops / *r.peak_gflops * 1e-9);
    r.fraction = kernel.least_s / *r.seconds;
    r.in_cache = kernel.from_memory < 0.5;
    kernels.push_back(std::move(kernel));
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto &a, const auto &b) { return a.total_s > b.total_s; });
  return kernels;
}

} // namespace weft
