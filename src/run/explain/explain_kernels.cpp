#include "run/explain/explain_kernels.h"

#include <numeric>

#include "run/kernel_timing.h"

namespace weft {

void profile_kernels(ProfilingDevice &device, ModelledTimer &timer, int repeats,
                     const std::function<void()> &work, bool each, TimedKernels &kernels) {
  work(); // compiles
  for (int repeat = 0; repeat < repeats; ++repeat) {
    device.set_profiling(true);
    work();
    device.set_profiling(false);
    const PairedSample state = timer.beside(0);
    for (const auto &[name, seconds] : device.take_profile()) {
      PairedSample sample = state;
      sample.seconds =
          each ? median(seconds) : std::accumulate(seconds.begin(), seconds.end(), 0.0);
      kernels[name].samples.add(sample, timer.is_undisturbed(sample));
    }
  }
}

ExplainedKernel explained_kernel(const std::string &use, KernelRecord record,
                                 const TimedKernel &timed, ModelledTimer &timer) {
  ExplainedKernel kernel{.use = use, .record = std::move(record), .cost = {}, .prediction = {}};
  KernelRecord &r = kernel.record;
  r.seconds = median(timed.samples, [](const auto &s) { return s.seconds; });
  r.stream_gbps = median(timed.samples, [](const auto &s) { return s.stream_gbps; });
  r.peak_gflops = median(timed.samples, [](const auto &s) { return s.peak_gflops; });
  if (timed.costs.empty())
    return kernel;
  KernelCost cost;
  for (const NamedCost &named : timed.costs)
    cost += named.cost;
  kernel.cost = cost;
  r.flops = r.flops.value_or(cost.operations.flops());
  r.bytes = cost.bytes();
  set_time(r, timer.compare(timed.samples, timed.costs, *r.flops, *r.bytes));
  kernel.prediction = timer.predicted(timed.samples, timed.costs);
  return kernel;
}

std::vector<ExplainedKernel> explain_work(const ModelWork &work, const KernelRecord &shared,
                                          ProfilingDevice &device, ModelledTimer &timer,
                                          int repeats) {
  TimedKernels timed;
  profile_kernels(device, timer, repeats, work.run, false, timed);
  std::vector<ExplainedKernel> result;
  for (const ModelKernel &kernel : work.kernels) {
    const auto found = timed.find(kernel.record.kernel);
    if (found == timed.end())
      continue;
    found->second.costs = kernel.costs;
    result.push_back(explained_kernel(work.use, kernel.record, found->second, timer));
    result.back().paper = kernel.paper;
    timed.erase(found);
  }
  for (const auto &[name, others] : timed) {
    KernelRecord record = shared;
    record.kernel = name;
    result.push_back(explained_kernel(work.use, record, others, timer));
  }
  return result;
}

} // namespace weft
