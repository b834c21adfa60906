#include "run/explain/explain.h"

#include <algorithm>
#include <numeric>

#include "linalg/vector_costs.h"
#include "linalg/vector_kernels.h"
#include "run/explain/explain_kernels.h"
#include "run/kernel_timing.h"
#include "run/settings/kernel_settings.h"
#include "run/variants/known_machine.h"
#include "solve/nonlinear/newton.h"

namespace weft {

namespace {

// Iterations of the solver that are looked at.
constexpr int solver_iterations = 8;

class Explainer {
public:
  Explainer(Simulation &s, ProfilingDevice &device, const MachineFigures &figures, int repeats)
      : s_(s), device_(device), repeats_(repeats), timer_(device, case_precision(s.c), figures) {}

  std::vector<ExplainedKernel> kernels_of(const ModelWork &work) {
    return explain_work(work, s_.model->record(), device_, timer_, repeats_);
  }
  std::vector<ExplainedKernel> kernels_of_solver(NonlinearOperator &op);
  AblationResult ablate(Ablation ablation);

private:
  double seconds_over_cells(const ModelWork &work);

  Simulation &s_;
  ProfilingDevice &device_;
  int repeats_;
  ModelledTimer timer_;
};

std::vector<ExplainedKernel> Explainer::kernels_of_solver(NonlinearOperator &op) {
  SolverSettings settings = solver_settings(s_);
  settings.max_iterations = solver_iterations;
  settings.newton.max_iterations = 1;
  Vector u = make_vector(device_, op.size(), op.precision(), "explained kernels");
  TimedKernels kernels;
  profile_kernels(
      device_, timer_, repeats_,
      [&] {
        set_vector(device_, u, s_.state);
        solve_nonlinear(op, u, settings);
      },
      true, kernels);
  const VectorShape shape = VectorKernels(device_, op.precision(), op.size(), 1, {}).shape();
  std::vector<ExplainedKernel> result;
  for (auto &[name, timed] : kernels) {
    if (!has_vector_kernel_cost(name))
      continue; // the operator's own
    const bool differs =
        name == "gmres_dots" || name == "gmres_subtract" || name == "gmres_project";
    if (!differs)
      timed.costs = {
          {name, vector_kernel_cost(name, shape,
                                    {.weighted = settings.preconditioner == PrecondKind::jacobi})}};
    KernelRecord record = s_.model->record();
    record.kernel = name;
    result.push_back(explained_kernel("solver", record, timed, timer_));
  }
  return result;
}

double Explainer::seconds_over_cells(const ModelWork &work) {
  device_.set_profiling(true);
  work.run();
  device_.set_profiling(false);
  const auto profile = device_.take_profile();
  double sum = 0;
  for (const ModelKernel &kernel : work.kernels)
    if (const auto found = profile.find(kernel.record.kernel);
        kernel.over_cells && found != profile.end())
      sum += std::accumulate(found->second.begin(), found->second.end(), 0.0);
  return sum;
}

AblationResult Explainer::ablate(Ablation ablation) {
  const ModelWork plain = s_.model->ablated_work(Ablation::none, s_.state);
  const ModelWork ablated = s_.model->ablated_work(ablation, s_.state);
  plain.run();
  ablated.run();
  // In turn, so that both see the same states of the machine.
  PairedSamples samples;
  std::vector<double> ablated_s, change_s;
  for (int repeat = 0; repeat < repeats_; ++repeat) {
    const double plain_s = seconds_over_cells(plain);
    ablated_s.push_back(seconds_over_cells(ablated));
    change_s.push_back(ablated_s.back() - plain_s);
    const PairedSample sample = timer_.beside(plain_s);
    samples.add(sample, timer_.is_undisturbed(sample));
  }
  const auto costs_over_cells = [](const ModelWork &work) {
    std::vector<NamedCost> costs;
    for (const ModelKernel &kernel : work.kernels)
      if (kernel.over_cells)
        costs.insert(costs.end(), kernel.costs.begin(), kernel.costs.end());
    return costs;
  };
  const double predicted_s = timer_.predicted(samples, costs_over_cells(plain)).seconds;
  return {.ablation = ablation,
          .seconds = median(samples, [](const auto &s) { return s.seconds; }),
          .change_s = median(change_s),
          .predicted_s = predicted_s,
          .predicted_change_s =
              timer_.predicted(samples, costs_over_cells(ablated)).seconds - predicted_s};
}

} // namespace

Explanation explain(const std::string &case_file, const ProblemOptions &options,
                    const std::vector<Ablation> &ablations, int repeats) {
  const std::unique_ptr<Simulation> s = make_simulation_without_operator(case_file, options);
  if (!ablations.empty())
    s->model->check_ablation();
  TuningDatabase database;
  const MachineFigures figures = known_machine(*s->device, database);
  auto profiling = std::make_unique<ProfilingDevice>(std::move(s->device));
  ProfilingDevice &device = *profiling;
  set_device(*s, std::move(profiling));
  make_operator(*s, options);
  Explanation result{.device = device.info().name,
                     .variant = s->variant.variant,
                     .variant_from = s->variant.from,
                     .kernels = {},
                     .ablations = {}};
  const auto add = [&](const std::vector<ExplainedKernel> &kernels) {
    result.kernels.insert(result.kernels.end(), kernels.begin(), kernels.end());
  };
  Explainer explainer(*s, device, figures, repeats);
  for (const ModelWork &work : s->model->works(s->state))
    add(explainer.kernels_of(work));
  if (NonlinearOperator *op = s->model->system())
    add(explainer.kernels_of_solver(*op));
  for (const Ablation ablation : ablations)
    result.ablations.push_back(explainer.ablate(ablation));
  return result;
}

} // namespace weft
