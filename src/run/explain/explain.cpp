#include "run/explain/explain.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "linalg/vector_costs.h"
#include "linalg/vector_kernels.h"
#include "run/explain/explain_kernels.h"
#include "run/kernel_timing.h"
#include "run/variants/known_machine.h"
#include "solve/nonlinear/newton.h"

namespace weft {

namespace {

// Iterations of the solver that are looked at.
constexpr int solver_iterations = 8;

bool over_cells(const std::string &kernel) {
  return kernel.rfind("residual_", 0) == 0 || kernel.rfind("apply_", 0) == 0 ||
         kernel.rfind("diagonal_", 0) == 0;
}

// What the kernel does once a term is ablated, see kernels/fem/ablate_*.kernel.
KernelCost ablated(KernelCost cost, Ablation ablation) {
  switch (ablation) {
  case Ablation::none:
    break;
  case Ablation::memory:
    cost.bytes_read = cost.bytes_written = cost.bytes_streamed = 0;
    break;
  case Ablation::gather:
    cost.stage_reads4 *= 2;
    cost.stage_reads1 *= 2;
    cost.memory_reads1 *= 2;
    break;
  case Ablation::scatter:
    cost.stage_adds4 *= 2;
    cost.stage_adds2 *= 2;
    cost.stage_adds1 *= 2;
    break;
  case Ablation::arithmetic:
    cost.operations = 2 * cost.operations;
    break;
  }
  return cost;
}

class Explainer {
public:
  Explainer(Simulation &s, ProfilingDevice &device, const MachineFigures &figures, int repeats)
      : s_(s), device_(device), repeats_(repeats), timer_(device, s.op->precision(), figures) {}

  std::vector<ExplainedKernel> kernels_of(IntegralKind kind);
  std::vector<ExplainedKernel> kernels_of_solver();
  AblationResult ablate(Ablation ablation);

private:
  double seconds_over_cells(const std::function<void()> &work);
  ExplainedKernel explained(const std::string &use, const std::string &name,
                            const TimedKernel &timed);
  std::function<void()> application(FormOperator &op, IntegralKind kind);

  Simulation &s_;
  ProfilingDevice &device_;
  int repeats_;
  ModelledTimer timer_;
};

std::function<void()> Explainer::application(FormOperator &op, IntegralKind kind) {
  const auto vector = [&] {
    Vector v = make_vector(device_, op.size(), op.precision(), "explained kernels");
    set_vector(device_, v, s_.state);
    return v;
  };
  const Vector u = vector();
  Vector x = vector(), y = vector();
  op.linearise(u);
  return [this, &op, kind, u, x, y]() mutable {
    if (kind == IntegralKind::residual)
      op.residual(u, y);
    else if (kind == IntegralKind::linearised)
      op.apply(x, y);
    else if (kind == IntegralKind::diagonal)
      op.diagonal(y);
    else
      dynamic_cast<AssembledOperator &>(op).assemble();
    device_.finish();
  };
}

ExplainedKernel Explainer::explained(const std::string &use, const std::string &name,
                                     const TimedKernel &timed) {
  KernelRecord record;
  record.kernel = name;
  record.form = s_.op->settings().form_name;
  record.device = device_.info().name;
  if (device_.info().is_cpu)
    record.threads = device_.info().compute_units;
  record.precision = to_string(s_.op->precision());
  record.dofs = s_.op->size();
  return explained_kernel(use, record, timed, timer_);
}

std::vector<ExplainedKernel> Explainer::kernels_of(IntegralKind kind) {
  TimedKernels kernels;
  profile_kernels(device_, timer_, repeats_, application(*s_.op, kind), false, kernels);
  for (const NamedCost &named : s_.op->costs(kind))
    if (const auto found = kernels.find(named.name); found != kernels.end())
      found->second.costs.push_back(named);
  std::vector<ExplainedKernel> result;
  for (const auto &[name, timed] : kernels)
    result.push_back(explained(to_string(kind), name, timed));
  for (const IntegralLaunch &launch : s_.op->launches(kind))
    for (ExplainedKernel &kernel : result)
      if (kernel.record.kernel == launch.source.name) {
        kernel.record.cell = to_string(launch.cell);
        kernel.record.element = "P" + std::to_string(launch.order);
        kernel.record.cells = launch.num_cells;
        kernel.record.variant = launch.variant;
        if (kind == IntegralKind::residual || kind == IntegralKind::linearised)
          kernel.paper = launch.paper;
        kernel.record.strategy = to_string(launch.on_facets ? Strategy::cell : s_.op->strategy());
        kernel.record.geometry =
            to_string(launch.on_facets ? GeometrySource::on_the_fly : s_.op->settings().geometry);
      }
  return result;
}

std::vector<ExplainedKernel> Explainer::kernels_of_solver() {
  SolverSettings settings = solver_settings(s_);
  settings.max_iterations = solver_iterations;
  settings.newton.max_iterations = 1;
  Vector u = make_vector(device_, s_.op->size(), s_.op->precision(), "explained kernels");
  TimedKernels kernels;
  profile_kernels(
      device_, timer_, repeats_,
      [&] {
        set_vector(device_, u, s_.state);
        solve_nonlinear(*s_.op, u, settings);
      },
      true, kernels);
  const VectorShape shape =
      VectorKernels(device_, s_.op->precision(), s_.op->size(), 1, {}).shape();
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
    result.push_back(explained("solver", name, timed));
  }
  return result;
}

double Explainer::seconds_over_cells(const std::function<void()> &work) {
  device_.set_profiling(true);
  work();
  device_.set_profiling(false);
  double sum = 0;
  for (const auto &[name, seconds] : device_.take_profile())
    if (over_cells(name))
      sum += std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return sum;
}

AblationResult Explainer::ablate(Ablation ablation) {
  if (s_.op->matrix())
    throw Error(ErrorKind::unsupported, {.what = "ablations of an assembled operator",
                                         .where = "--ablate",
                                         .found = "solver.operator = \"assembled\"",
                                         .remedy = "leave --ablate out, or set solver.operator = "
                                                   "\"matrix_free\""});
  constexpr IntegralKind kind = IntegralKind::linearised;
  OperatorSettings settings = s_.op->settings();
  settings.ablation = ablation;
  FormOperator changed(device_, s_.discretisation, settings);
  const auto plain = application(*s_.op, kind), with_ablation = application(changed, kind);
  plain();
  with_ablation();
  // In turn, so that both see the same states of the machine.
  PairedSamples samples;
  std::vector<double> ablated_s, change_s;
  for (int repeat = 0; repeat < repeats_; ++repeat) {
    const double plain_s = seconds_over_cells(plain);
    ablated_s.push_back(seconds_over_cells(with_ablation));
    change_s.push_back(ablated_s.back() - plain_s);
    const PairedSample sample = timer_.beside(plain_s);
    samples.add(sample, timer_.is_undisturbed(sample));
  }
  std::vector<NamedCost> costs, ablated_costs;
  for (const NamedCost &named : s_.op->costs(kind))
    if (over_cells(named.name)) {
      costs.push_back(named);
      ablated_costs.push_back({named.name, ablated(named.cost, ablation)});
    }
  const double predicted_s = timer_.predicted(samples, costs).seconds;
  return {.ablation = ablation,
          .seconds = median(samples, [](const auto &s) { return s.seconds; }),
          .change_s = median(change_s),
          .predicted_s = predicted_s,
          .predicted_change_s = timer_.predicted(samples, ablated_costs).seconds - predicted_s};
}

} // namespace

Explanation explain(const std::string &case_file, const ProblemOptions &options,
                    const std::vector<Ablation> &ablations, int repeats) {
  const std::unique_ptr<Simulation> s = make_simulation_without_operator(case_file, options);
  if (!ablations.empty())
    refuse_law(s->c, "--ablate");
  TuningDatabase database;
  const MachineFigures figures = known_machine(*s->device, database);
  auto profiling = std::make_unique<ProfilingDevice>(std::move(s->device));
  ProfilingDevice &device = *profiling;
  s->device = std::move(profiling);
  make_operator(*s, options);
  Explanation result{.device = device.info().name,
                     .variant = s->variant.variant,
                     .variant_from = s->variant.from,
                     .kernels = {},
                     .ablations = {}};
  const auto add = [&](const std::vector<ExplainedKernel> &kernels) {
    result.kernels.insert(result.kernels.end(), kernels.begin(), kernels.end());
  };
  if (s->dg) {
    add(explain_law(*s, device, figures, repeats));
    return result;
  }
  Explainer explainer(*s, device, figures, repeats);
  const bool differences = !s->discretisation.form.c_text.empty();
  add(explainer.kernels_of(IntegralKind::residual));
  if (s->op->matrix())
    add(explainer.kernels_of(IntegralKind::matrix));
  if (!differences) {
    add(explainer.kernels_of(IntegralKind::linearised));
    add(explainer.kernels_of(IntegralKind::diagonal));
  }
  add(explainer.kernels_of_solver());
  for (const Ablation ablation : ablations)
    result.ablations.push_back(explainer.ablate(ablation));
  return result;
}

} // namespace weft
