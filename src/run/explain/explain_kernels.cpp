#include "run/explain/explain_kernels.h"

#include <numeric>

#include "op/law/dg_tuning.h"
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

std::vector<ExplainedKernel> explain_law(Simulation &s, ProfilingDevice &device,
                                         const MachineFigures &figures, int repeats) {
  DgOperator &op = *s.dg;
  ModelledTimer timer(device, op.precision(), figures);
  const auto vector = [&] {
    Vector v = make_vector(device, op.size(), op.precision(), "explained kernels");
    op.set_state(s.state, v);
    return v;
  };
  const Vector q = vector();
  Vector sum = vector(), out = vector();
  const StageUpdate update = tuned_update();
  const double time = s.discretisation.time;
  std::vector<ExplainedKernel> result;
  const auto add = [&](const std::string &use, const std::vector<DgStage> &parts,
                       const std::function<void()> &work) {
    TimedKernels kernels;
    profile_kernels(device, timer, repeats, work, false, kernels);
    for (const DgStage part : parts)
      for (const NamedCost &cost : op.costs_of(part, update)) {
        TimedKernel &timed = kernels.at(cost.name);
        timed.costs = {cost};
        KernelRecord record = make_law_record(op, s.discretisation, part, update);
        record.kernel = cost.name;
        if (op.mesh().sets.size() > 1) // the record's are those of all cell types
          record.flops = cost.cost.operations.flops();
        result.push_back(explained_kernel(use, record, timed, timer));
      }
  };
  if (s.matrix_rates) {
    TimedKernels kernels;
    const auto work = [&] { s.matrix_rates->stage(time, 0, update, q, nullptr, &sum, out); };
    profile_kernels(device, timer, repeats, work, false, kernels);
    const NamedCost cost = s.matrix_rates->cost(update);
    TimedKernel &timed = kernels.at(cost.name);
    timed.costs = {cost};
    result.push_back(explained_kernel("stage", make_matrix_record(s, update), timed, timer));
  } else {
    add("stage", op.parts_of_stage(op.settings().fused), [&] {
      op.stage(time, 0, update, q, nullptr, &sum, out);
      device.finish();
    });
  }
  add("longest step", {DgStage::step}, [&] { op.unit_step(time, q); });
  return result;
}

} // namespace weft
