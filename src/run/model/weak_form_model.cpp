#include "run/model/weak_form_model.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/error.h"
#include "op/assembly/assembled_operator.h"
#include "op/weak_form/form_tuning.h"
#include "run/model/form_record.h"
#include "run/model/solver_choice.h"
#include "run/settings/case_solver_settings.h"
#include "run/settings/kernel_settings.h"
#include "run/variants/variant_choice.h"

namespace weft {

namespace {

// Settings of the case that no search may change.
Variant fixed_choices(const Case &c) {
  Variant fixed;
  if (!c.device.strategy.empty())
    fixed.choices.emplace_back("strategy", c.device.strategy);
  if (!c.device.geometry.empty())
    fixed.choices.emplace_back("geometry", c.device.geometry);
  return fixed;
}

// Those that an operator has kernels for.
std::vector<IntegralKind> kinds_of(const FormOperator &op) {
  if (op.matrix() != nullptr)
    return {IntegralKind::residual, IntegralKind::matrix, IntegralKind::linearised};
  return {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal};
}

// The kernels of a kind; none where it takes those of the residual, for a form in C text.
std::span<const IntegralLaunch> own_launches(FormOperator &op, IntegralKind kind) {
  const std::vector<IntegralLaunch> &launches = op.launches(kind);
  if (kind != IntegralKind::residual && &launches == &op.launches(IntegralKind::residual))
    return {};
  return launches;
}

// What a kernel does once a term is ablated, see kernels/fem/ablate_*.kernel.
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

} // namespace

WeakFormModel::WeakFormModel(Case &c, Device &device, const Discretisation &d)
    : c_(c), device_(device), d_(d) {}

std::string WeakFormModel::kernel() const {
  return form_kernel;
}

std::string WeakFormModel::timed_work() const {
  return d_.form.c_text.empty()
             ? "the linearised application, which solvers iterate with"
             : "the residual, of which differences make the linearised application";
}

ModelTuning WeakFormModel::tuning(const std::vector<double> &state,
                                  const std::optional<MachineFigures> &figures) {
  FormTuningOptions options{.kind = IntegralKind::linearised,
                            .base = operator_settings(c_),
                            .fixed = fixed_choices(c_),
                            .model = {},
                            .state = state};
  const bool fixed = !options.fixed.choices.empty();
  if (figures)
    options.model = cost_model(device_.info(), options.base.precision, *figures);
  auto target = std::make_unique<FormTuning>(device_, d_, std::move(options));
  TuningKey key = target->key();
  Variant usual = target->default_variant().value();
  return {.key = std::move(key),
          .target = std::move(target),
          .usual = std::move(usual),
          .fixed_by_case = fixed};
}

SolverRecord WeakFormModel::choose_solver(const std::vector<double> &state) {
  return choose_solver_of_form(c_, d_, state);
}

void WeakFormModel::set_up(const std::optional<Variant> &variant) {
  if (c_.solver.op.empty()) // for looking at kernels: choose_solver() was not asked
    c_.solver.op = needs_matrix(c_.solver) ? "assembled" : "matrix_free";
  OperatorSettings settings = operator_settings(c_);
  if (variant)
    settings = settings_of(*variant, settings);
  if (c_.solver.op == "assembled")
    op_ = std::make_unique<AssembledOperator>(device_, d_, settings, assembly_settings(c_));
  else
    op_ = std::make_unique<FormOperator>(device_, d_, settings);
  explicit_.reset();
  if (!c_.form.explicit_integrals.empty())
    explicit_ = std::make_unique<ExplicitTerms>(c_, device_, d_, operator_settings(c_));
}

bool WeakFormModel::take_values() {
  op_->take_values();
  if (explicit_)
    explicit_->take_values(c_);
  return true;
}

std::function<void(double, const Vector &, Vector &)> WeakFormModel::explicit_terms() {
  if (!explicit_)
    return {};
  return [this](double time, const Vector &u, Vector &g) { explicit_->residual(time, u, g); };
}

void WeakFormModel::make_kernels() {
  op_->launches(IntegralKind::residual);
  if (explicit_)
    explicit_->op().launches(IntegralKind::residual);
}

KernelRecord WeakFormModel::record() const {
  return shared_record(*op_, d_);
}

std::vector<std::string> WeakFormModel::kernel_texts() {
  std::vector<std::string> texts;
  for (const IntegralKind kind : kinds_of(*op_))
    for (const IntegralLaunch &launch : own_launches(*op_, kind))
      texts.push_back(launch.source.text);
  if (explicit_)
    for (const IntegralLaunch &launch : explicit_->op().launches(IntegralKind::residual))
      texts.push_back(launch.source.text);
  return texts;
}

std::vector<KernelCount> WeakFormModel::kernel_counts() {
  std::vector<KernelCount> counts;
  for (const IntegralKind kind : kinds_of(*op_)) {
    if (kind == IntegralKind::diagonal)
      continue;
    for (const IntegralLaunch &launch : own_launches(*op_, kind))
      counts.push_back({launch.source.name, launch.num_cells, launch.cost, launch.paper});
    counts.push_back({to_string(kind) + " with sums and prescribed dofs",
                      d_.mesh->num_cells(),
                      op_->cost(kind),
                      {}});
  }
  if (explicit_)
    counts.push_back({"explicit terms with sums",
                      d_.mesh->num_cells(),
                      explicit_->op().cost(IntegralKind::residual),
                      {}});
  return counts;
}

// By their names.
std::vector<ModelKernel> WeakFormModel::kernels(FormOperator &op, IntegralKind kind) const {
  std::map<std::string, ModelKernel> by_name;
  const auto of_name = [&](const std::string &name) -> ModelKernel & {
    ModelKernel &kernel = by_name[name];
    if (kernel.record.kernel.empty()) {
      kernel.record = shared_record(op, d_);
      kernel.record.kernel = name;
    }
    return kernel;
  };
  for (const NamedCost &named : op.costs(kind))
    of_name(named.name).costs.push_back(named);
  for (const IntegralLaunch &launch : op.launches(kind)) {
    ModelKernel &kernel = of_name(launch.source.name);
    add_launch(kernel.record, op, launch);
    if (kind == IntegralKind::residual || kind == IntegralKind::linearised)
      kernel.paper = launch.paper;
    kernel.over_cells = true;
  }
  std::vector<ModelKernel> kernels;
  for (auto &[name, kernel] : by_name)
    kernels.push_back(std::move(kernel));
  return kernels;
}

ModelWork WeakFormModel::work(FormOperator &op, IntegralKind kind,
                              const std::vector<double> &state) {
  const auto vector = [&] {
    Vector v = make_vector(device_, op.layout(), op.precision(), "explained kernels");
    op.set_dofs(state, v);
    return v;
  };
  const Vector u = vector();
  Vector x = vector(), y = vector();
  op.linearise(u);
  return {.use = to_string(kind),
          .kernels = kernels(op, kind),
          .run = [this, &op, kind, u, x, y]() mutable {
            if (kind == IntegralKind::residual)
              op.residual(u, y);
            else if (kind == IntegralKind::linearised)
              op.apply(x, y);
            else if (kind == IntegralKind::diagonal)
              op.diagonal(y);
            else
              dynamic_cast<AssembledOperator &>(op).assemble();
            device_.finish();
          }};
}

std::vector<ModelWork> WeakFormModel::works(const std::vector<double> &state) {
  std::vector<IntegralKind> kinds = {IntegralKind::residual};
  if (op_->matrix() != nullptr)
    kinds.push_back(IntegralKind::matrix);
  if (d_.form.c_text.empty()) // else by differences of residuals
    kinds.insert(kinds.end(), {IntegralKind::linearised, IntegralKind::diagonal});
  std::vector<ModelWork> works;
  for (const IntegralKind kind : kinds)
    works.push_back(work(*op_, kind, state));
  if (explicit_) {
    works.push_back(work(explicit_->op(), IntegralKind::residual, state));
    works.back().use = "explicit terms";
  }
  return works;
}

std::vector<RecordedWork> WeakFormModel::recorded_works(const std::vector<double> &state) {
  Vector u = make_vector(device_, op_->layout(), op_->precision(), "state");
  Vector r = make_vector(device_, op_->layout(), op_->precision(), "result");
  op_->set_dofs(state, u);
  op_->linearise(u);
  return {{.record = make_kernel_record(*op_, d_, IntegralKind::linearised, 0),
           .run = [this, u, r]() mutable { op_->apply(u, r); }}};
}

SharedWork WeakFormModel::shared_work(const std::vector<double> &state) {
  Vector u = make_vector(device_, op_->layout(), op_->precision(), "state");
  Vector x = make_vector(device_, op_->layout(), op_->precision(), "direction");
  Vector y = make_vector(device_, op_->layout(), op_->precision(), "product");
  op_->set_dofs(state, u);
  op_->set_dofs(state, x);
  op_->linearise(u);
  return {.what = "product with the Jacobian",
          .counts = op_->halo_per_apply(),
          .run = [this, u, x, y]() mutable { op_->apply(x, y); },
          .kernels = [this, u, x, y]() mutable { op_->apply_without_exchange(x, y); },
          .exchange = [this, x] { op_->exchange(x); }};
}

void WeakFormModel::check_ablation() const {
  if (c_.solver.op == "assembled" || (c_.solver.op.empty() && needs_matrix(c_.solver)))
    throw Error(ErrorKind::unsupported, {.what = "ablations of an assembled operator",
                                         .where = "--ablate",
                                         .found = "solver.operator = \"assembled\"",
                                         .remedy = "leave --ablate out, or set solver.operator = "
                                                   "\"matrix_free\""});
}

ModelWork WeakFormModel::ablated_work(Ablation ablation, const std::vector<double> &state) {
  check_ablation();
  if (ablation == Ablation::none)
    return work(*op_, IntegralKind::linearised, state);
  OperatorSettings settings = op_->settings();
  settings.ablation = ablation;
  ablated_ = std::make_unique<FormOperator>(device_, d_, settings);
  ModelWork changed = work(*ablated_, IntegralKind::linearised, state);
  // Costs are those of the plain kernels, whatever the ablated ones are called.
  std::vector<ModelKernel> plain = kernels(*op_, IntegralKind::linearised);
  require(plain.size() == changed.kernels.size(), "an ablated operator has the same kernels");
  for (std::size_t k = 0; k < plain.size(); ++k) {
    changed.kernels[k].costs = plain[k].costs;
    for (NamedCost &named : changed.kernels[k].costs)
      named.cost = ablated(named.cost, ablation);
  }
  return changed;
}

} // namespace weft
