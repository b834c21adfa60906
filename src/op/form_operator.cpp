#include "op/form_operator.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/embedded.h"
#include "base/error.h"
#include "op/form_plan.h"

namespace weft {

FormOperator::FormOperator(Device &device, const Discretisation &d,
                           const OperatorSettings &settings)
    : device_(device), d_(d), settings_(settings) {
  for (const FormIntegral &integral : d.form.integrals)
    if (integral.domain == Domain::interior)
      throw Error(ErrorKind::unsupported,
                  {.what = "integrals over interior facets on a device",
                   .remedy = "remove [weak_form] interior.* from the case"});
  if (device.info().is_cpu) {
    lanes_ = settings.lanes.value_or(device.info().native_lanes_f64 *
                                     (settings.precision == Precision::f32 ? 2 : 1));
    strategy_ = settings.strategy.value_or(Strategy::block);
  } else {
    lanes_ = settings.lanes.value_or(1);
    // Blocks move fewer bytes (no element vectors in memory), but each work-group waits for its own
    // slowest step, and that has been measured on no GPU yet: `cell` is the plain choice till then.
    strategy_ = settings.strategy.value_or(Strategy::cell);
  }
  plan_ = std::make_unique<FormPlan>(device_, d_, settings_, strategy_, lanes_);
  constrain_program_ =
      device_.build({.name = "constrain",
                     .text = program_head(device_.info().backend, settings_.precision, 1) +
                             embedded_text("kernels/fem/constrain.kernel"),
                     .kernels = {"constrain_take", "constrain_give_back", "constrain_residual",
                                 "constrain_set"}});
  const Constraints &c = d.constraints;
  constrained_dofs_ = upload(device_, c.dofs, "constrained dofs");
  constrained_values_ = upload_reals(device_, c.values, settings_.precision, "constrained values");
  constrained_saved_ =
      device_.allocate(c.dofs.size() * size_bytes(settings_.precision), "constrained entries");
  if (!d.form.c_text.empty())
    differences_ = std::make_unique<DifferenceJacobian>(
        device_, d_, settings_.precision,
        [this](const Vector &u, Vector &r) { integrate(IntegralKind::residual, &u, nullptr, r); });
  one_ = upload_reals(device_, {1.0}, settings_.precision, "one");
}

FormOperator::~FormOperator() = default;

const std::vector<IntegralLaunch> &FormOperator::launches(IntegralKind kind) {
  if (differences_)
    kind = IntegralKind::residual;
  auto found = launches_.find(kind);
  if (found == launches_.end())
    found = launches_.emplace(kind, plan_->make_launches(kind)).first;
  return found->second;
}

int FormOperator::num_residuals(IntegralKind kind) {
  if (!differences_ || kind == IntegralKind::residual)
    return 0;
  return kind == IntegralKind::linearised ? 2 : 2 * differences_->num_colours();
}

std::vector<NamedCost> FormOperator::costs(IntegralKind kind) {
  std::vector<NamedCost> costs;
  if (const int residuals = num_residuals(kind)) {
    NamedCost all{"differences of residuals", cost(IntegralKind::residual)};
    for (int i = 1; i < residuals; ++i)
      all.cost += cost(IntegralKind::residual);
    // Each with a shift (3 vectors) and half a quotient.
    const double entries = static_cast<double>(residuals) * static_cast<double>(size());
    const double real = static_cast<double>(size_bytes(settings_.precision));
    all.cost.bytes_read += 3 * entries * real;
    all.cost.bytes_written += 1.5 * entries * real;
    all.cost.operations.additions += 1.5 * entries;
    all.cost.operations.multiplications += 1.5 * entries;
    return {all};
  }
  for (const IntegralLaunch &launch : launches(kind))
    costs.push_back({launch.source.name, launch.cost});
  const std::vector<NamedCost> gathers = plan_->gather_costs();
  costs.insert(costs.end(), gathers.begin(), gathers.end());
  NamedCost constraints{"constrain", {}};
  const double dofs = static_cast<double>(d_.constraints.dofs.size());
  const double real = static_cast<double>(size_bytes(settings_.precision));
  constraints.cost.bytes_read = dofs * (4 + 3 * real);
  constraints.cost.bytes_written = dofs * 3 * real;
  costs.push_back(constraints);
  return costs;
}

KernelCost FormOperator::cost(IntegralKind kind) {
  KernelCost cost;
  for (const NamedCost &part : costs(kind))
    cost += part.cost;
  return cost;
}

double FormOperator::bytes(IntegralKind kind) {
  return cost(kind).bytes();
}

double FormOperator::flops(IntegralKind kind) {
  if (const int residuals = num_residuals(kind))
    return residuals * (flops(IntegralKind::residual) + 3.0 * static_cast<double>(size()));
  double flops = 0;
  for (const NamedCost &gather : plan_->gather_costs())
    flops += gather.cost.operations.flops();
  for (const IntegralLaunch &launch : launches(kind))
    flops += launch.needed.flops();
  return flops;
}

void FormOperator::constrain(const std::string &kernel,
                             const std::vector<KernelArgument> &arguments) {
  const std::int64_t num = static_cast<std::int64_t>(d_.constraints.dofs.size());
  if (num == 0)
    return;
  std::vector<KernelArgument> all = {static_cast<std::int32_t>(num), constrained_dofs_};
  all.insert(all.end(), arguments.begin(), arguments.end());
  constexpr std::int64_t group = 64;
  device_.launch(constrain_program_, kernel, {(num + group - 1) / group, group}, all);
}

void FormOperator::integrate(IntegralKind kind, const Vector *u, const Vector *x, Vector &y) {
  require(y.precision == settings_.precision && y.size == size(), "a vector of this operator");
  launches(kind); // makes them when first asked for
  for (IntegralLaunch &launch : launches_.at(kind)) {
    for (const int place : launch.field_arguments)
      launch.arguments[place] = u->buffer;
    for (const int place : launch.direction_arguments)
      launch.arguments[place] = x->buffer;
    for (const int place : launch.output_arguments)
      launch.arguments[place] = y.buffer;
    device_.launch(launch.program, launch.source.name, launch.launch, launch.arguments);
    // Neither the state nor the result is kept alive by the launch.
    for (const auto *places :
         {&launch.field_arguments, &launch.direction_arguments, &launch.output_arguments})
      for (const int place : *places)
        launch.arguments[place] = Buffer{};
  }
  plan_->gather(y);
}

void FormOperator::residual(const Vector &u, Vector &r) {
  integrate(IntegralKind::residual, &u, nullptr, r);
  constrain("constrain_residual", {u.buffer, constrained_values_, r.buffer});
}

void FormOperator::linearise(const Vector &u) {
  state_ = u;
  if (differences_)
    differences_->linearise(u);
}

void FormOperator::apply(const Vector &x, Vector &y) {
  require(d_.form.linear || state_.buffer, "linearise() comes before apply() of a non-linear form");
  constrain("constrain_take", {x.buffer, constrained_saved_});
  if (differences_)
    differences_->apply(x, y);
  else
    integrate(IntegralKind::linearised, &state_, &x, y);
  constrain("constrain_give_back", {x.buffer, y.buffer, constrained_saved_});
}

void FormOperator::diagonal(Vector &d) {
  require(d_.form.linear || state_.buffer, "linearise() comes before diagonal()");
  if (differences_)
    differences_->diagonal(d);
  else
    integrate(IntegralKind::diagonal, &state_, nullptr, d);
  constrain("constrain_set", {d.buffer, one_, std::int32_t{0}});
}

void FormOperator::set_constrained(Vector &u) {
  constrain("constrain_set", {u.buffer, constrained_values_, std::int32_t{1}});
}

} // namespace weft
