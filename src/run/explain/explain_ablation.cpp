#include "run/explain/explain_ablation.h"

#include <numeric>

#include "device/profiling_device.h"
#include "run/explain/modelled_timing.h"
#include "run/kernel_timing.h"
#include "run/settings/kernel_settings.h"
#include "run/variants/known_machine.h"

namespace weft {

namespace {

double seconds_over_cells(ProfilingDevice &device, const ModelWork &work) {
  device.set_profiling(true);
  work.run();
  device.set_profiling(false);
  const std::map<std::string, KernelProfile> profile = device.take_profile();
  double sum = 0;
  for (const ModelKernel &kernel : work.kernels)
    if (const auto found = profile.find(kernel.record.kernel);
        kernel.over_cells && found != profile.end())
      sum += std::accumulate(found->second.seconds.begin(), found->second.seconds.end(), 0.0);
  return sum;
}

std::vector<NamedCost> costs_over_cells(const ModelWork &work) {
  std::vector<NamedCost> costs;
  for (const ModelKernel &kernel : work.kernels)
    if (kernel.over_cells)
      costs.insert(costs.end(), kernel.costs.begin(), kernel.costs.end());
  return costs;
}

AblationResult ablate_one(Simulation &s, ProfilingDevice &device, ModelledTimer &timer,
                          Ablation ablation, int repeats) {
  const ModelWork plain = s.model->ablated_work(Ablation::none, s.state);
  const ModelWork ablated = s.model->ablated_work(ablation, s.state);
  plain.run();
  ablated.run();
  // In turn, so that both see the same states of the machine.
  PairedSamples samples;
  std::vector<double> change_s;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double plain_s = seconds_over_cells(device, plain);
    change_s.push_back(seconds_over_cells(device, ablated) - plain_s);
    const PairedSample sample = timer.beside(plain_s);
    samples.add(sample, timer.is_undisturbed(sample));
  }
  const double predicted_s = timer.predicted(samples, costs_over_cells(plain)).seconds;
  return {.ablation = ablation,
          .seconds = median(samples, [](const auto &sample) { return sample.seconds; }),
          .change_s = median(change_s),
          .predicted_s = predicted_s,
          .predicted_change_s =
              timer.predicted(samples, costs_over_cells(ablated)).seconds - predicted_s};
}

} // namespace

std::vector<AblationResult> ablate(const std::string &case_file, const ProblemOptions &options,
                                   const std::vector<Ablation> &ablations, int repeats) {
  const std::unique_ptr<Simulation> s = make_simulation_without_operator(case_file, options);
  s->model->check_ablation();
  TuningDatabase database;
  const MachineFigures figures = known_machine(*s->device, database);
  auto profiling = std::make_unique<ProfilingDevice>(std::move(s->device));
  ProfilingDevice &device = *profiling;
  set_device(*s, std::move(profiling));
  make_operator(*s, options);
  ModelledTimer timer(device, case_precision(s->c), figures);
  std::vector<AblationResult> results;
  for (const Ablation ablation : ablations)
    results.push_back(ablate_one(*s, device, timer, ablation, repeats));
  return results;
}

} // namespace weft
