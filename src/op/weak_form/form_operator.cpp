#include "op/weak_form/form_operator.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "base/error.h"
#include "op/weak_form/constrain_program.h"
#include "op/weak_form/form_plan.h"

namespace weft {

FormOperator::FormOperator(Device &device, const Discretisation &d,
                           const OperatorSettings &settings)
    : device_(device), d_(d), integrals_(d),
      settings_(with_choices(settings, integrals_, device.info())),
      local_dofs_(device, d, settings_.precision), tied_dofs_(device, d.ties, settings_.precision) {
  if (!d.form.c_text.empty() && integrals_.has_interior()) // differences colour dofs by cells
    throw Error(ErrorKind::unsupported,
                {.what = "integrals over facets between two cells beside C text",
                 .where = "[pointwise]",
                 .remedy = "write f0 and f1 as expressions, or remove [weak_form] interior.*"});
  plan_ = std::make_unique<FormPlan>(device_, integrals_, settings_);
  constrain_program_ = constrain_program(device_, settings_.precision);
  const Constraints &c = d.constraints;
  constrained_dofs_ = upload(device_, c.dofs, "constrained dofs");
  constrained_values_ = upload_reals(device_, c.values, settings_.precision, "constrained values");
  FormOperator::hold({});
  if (!d.form.c_text.empty())
    differences_ = std::make_unique<DifferenceJacobian>(
        device_, d_, layout(), settings_.precision, [this](const Vector &u, Vector &r) {
          integrate(IntegralKind::residual, local_dofs_.read(u, storage_), {}, r);
        });
  one_ = upload_reals(device_, {1.0}, settings_.precision, "one");
  if (has_rates(d.form)) {
    rate_offset_ = make_vector(device_, layout(), precision(), "offset of time derivatives");
    device_.fill_zero(rate_offset_.buffer, size() * size_bytes(precision()));
    local_offsets_[0] = local_dofs_.read(rate_offset_, rate_storage_);
  }
  if (has_second_rates(d.form)) {
    second_offset_ = make_vector(device_, layout(), precision(), "offset of second derivatives");
    device_.fill_zero(second_offset_.buffer, size() * size_bytes(precision()));
    local_offsets_[1] = local_dofs_.read(second_offset_, second_storage_);
  }
  time_ = d.time;
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

std::vector<NamedCost> FormOperator::difference_costs(IntegralKind kind) {
  return kind == IntegralKind::linearised ? differences_->apply_costs()
                                          : differences_->diagonal_costs();
}

std::vector<NamedCost> FormOperator::integral_costs(IntegralKind kind) {
  std::vector<NamedCost> costs;
  for (const IntegralLaunch &launch : launches(kind))
    costs.push_back({launch.source.name, launch.cost});
  const std::vector<NamedCost> gathers = plan_->gather_costs();
  costs.insert(costs.end(), gathers.begin(), gathers.end());
  return costs;
}

std::vector<NamedCost> FormOperator::costs(IntegralKind kind) {
  std::vector<NamedCost> costs;
  const auto append = [&](const std::vector<NamedCost> &more) {
    costs.insert(costs.end(), more.begin(), more.end());
  };
  const int residuals = num_residuals(kind);
  if (residuals > 0)
    append(difference_costs(kind));
  const std::vector<NamedCost> integrals = integral_costs(kind);
  for (int i = 0; i < std::max(1, residuals); ++i)
    append(integrals);
  const bool of_residual = kind == IntegralKind::residual;
  append(constrain_costs(
      kind, of_residual ? static_cast<std::int64_t>(d_.constraints.dofs.size()) : num_fixed_,
      settings_.precision, device_.info()));
  append(tied_dofs_.costs(kind));
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
  double flops = 0;
  if (const int residuals = num_residuals(kind)) {
    for (const NamedCost &difference : difference_costs(kind))
      flops += difference.cost.operations.flops();
    return flops + residuals * this->flops(IntegralKind::residual);
  }
  for (const NamedCost &gather : plan_->gather_costs())
    flops += gather.cost.operations.flops();
  for (const IntegralLaunch &launch : launches(kind))
    flops += launch.needed.flops();
  return flops;
}

void FormOperator::hold(std::span<const std::int32_t> entries) {
  held_.assign(entries.begin(), entries.end());
  const std::vector<std::int32_t> &constrained = d_.constraints.dofs;
  fixed_dofs_ = constrained_dofs_;
  if (!held_.empty()) {
    std::vector<std::int32_t> dofs;
    std::set_union(constrained.begin(), constrained.end(), held_.begin(), held_.end(),
                   std::back_inserter(dofs));
    require(dofs.size() == constrained.size() + held_.size(), "prescribed dofs have no bounds");
    fixed_dofs_ = upload(device_, dofs, "constrained and held dofs");
  }
  num_fixed_ = static_cast<std::int64_t>(constrained.size() + held_.size());
  fixed_saved_ = device_.allocate(num_fixed_ * size_bytes(settings_.precision),
                                  "constrained and held entries");
}

void FormOperator::constrain(const std::string &kernel,
                             const std::vector<KernelArgument> &arguments) {
  constrain(static_cast<std::int64_t>(d_.constraints.dofs.size()), constrained_dofs_, kernel,
            arguments);
}

void FormOperator::constrain_or_hold(const std::string &kernel,
                                     const std::vector<KernelArgument> &arguments) {
  constrain(num_fixed_, fixed_dofs_, kernel, arguments);
}

void FormOperator::constrain(std::int64_t num, const Buffer &dofs, const std::string &kernel,
                             const std::vector<KernelArgument> &arguments) {
  if (num == 0)
    return;
  std::vector<KernelArgument> all = {static_cast<std::int32_t>(num), dofs};
  all.insert(all.end(), arguments.begin(), arguments.end());
  device_.launch(constrain_program_, kernel, list_launch(num, device_.info()), all);
}

void FormOperator::integrate(IntegralKind kind, const Buffer &u, const Buffer &x, Vector &y) {
  require(y.precision == settings_.precision && y.size == size(), "a vector of this operator");
  launches(kind); // makes them when first asked for
  for (IntegralLaunch &integral : launches_.at(kind))
    launch(integral, u, x, y);
  plan_->gather(y);
}

void FormOperator::launch(IntegralLaunch &launch, const Buffer &u, const Buffer &x,
                          const Vector &y) {
  const auto set = [&](const std::vector<int> &arguments, const KernelArgument &value) {
    for (const int argument : arguments)
      launch.arguments[argument] = value;
  };
  const auto set_buffers = [&](const Buffer &state, const Buffer &direction, const Buffer &result) {
    set(launch.field_arguments, state);
    set(launch.direction_arguments, direction);
    set(launch.output_arguments, result);
  };
  set_buffers(u, x, y.buffer);
  for (int order = 0; order < highest_rate_order; ++order)
    set(launch.rate_offset_arguments[order], local_offsets_[order]);
  set(launch.time_arguments, plan_->real_argument(time_));
  for (int shift = 0; shift < num_shifts; ++shift)
    set(launch.shift_arguments[shift], plan_->real_argument(shifts_[shift]));
  device_.launch(launch.program, launch.source.name, launch.launch, launch.arguments);
  set_buffers({}, {}, {}); // the launch keeps none of them alive
  for (const std::vector<int> &arguments : launch.rate_offset_arguments)
    set(arguments, Buffer{});
}

void FormOperator::set_time(double time) {
  time_ = time;
  take_constrained_values();
  plan_->update_auxiliary(&AuxiliaryField::depends_on_time);
}

void FormOperator::take_constrained_values() {
  Vector values{constrained_values_, static_cast<std::int64_t>(d_.constraints.values.size()),
                precision()};
  if (values.size > 0)
    set_vector(device_, values, d_.constraints.values);
  tied_dofs_.take_jumps();
}

void FormOperator::take_values() {
  take_constrained_values();
  plan_->update_tables();
  plan_->update_auxiliary(&AuxiliaryField::depends_on_parameters);
  other_.reset();
}

void FormOperator::set_rate(const Vector &offset, double shift) {
  require(offset.size == size() && offset.precision == precision(), "a vector of this operator");
  rate_offset_ = offset;
  local_offsets_[0] = local_dofs_.read(offset, rate_storage_);
  shifts_[first_order_shift] = shift;
}

void FormOperator::set_second_rate(const Vector &offset, double acceleration_shift,
                                   double velocity_shift) {
  if (!second_order_in_time())
    return;
  require(offset.size == size() && offset.precision == precision(), "a vector of this operator");
  second_offset_ = offset;
  local_offsets_[1] = local_dofs_.read(offset, second_storage_);
  shifts_[weft::acceleration_shift] = acceleration_shift;
  shifts_[weft::velocity_shift] = velocity_shift;
}

void FormOperator::set_load(const Vector &load) {
  load_ = load;
  if (load_.buffer && !sums_)
    sums_ =
        std::make_unique<VectorKernels>(device_, precision(), layout(), 1, std::set<std::string>{});
}

void FormOperator::take_rates(const FormOperator &from, const Vector &offset,
                              const Vector &second_offset) {
  if (offset.buffer)
    set_rate(offset, from.shifts_[first_order_shift]);
  if (second_offset.buffer)
    set_second_rate(second_offset, from.shifts_[acceleration_shift], from.shifts_[velocity_shift]);
}

void FormOperator::prescribe(const Vector &u) {
  constrain("constrain_read", {u.buffer, constrained_values_});
}

void FormOperator::residual(const Vector &u, Vector &r) {
  tied_dofs_.set(u);
  integrate(IntegralKind::residual, local_dofs_.read(u, storage_), {}, r);
  tied_dofs_.fold_residual(r);
  if (load_.buffer)
    sums_->combine(r, 1, r, 1, load_);
  constrain("constrain_residual", {u.buffer, constrained_values_, r.buffer});
}

void FormOperator::linearise(const Vector &u) {
  tied_dofs_.set(u);
  state_ = u;
  local_state_ = local_dofs_.read(u, state_storage_);
  if (differences_)
    differences_->linearise(u);
}

void FormOperator::apply(const Vector &x, Vector &y) {
  require(d_.form.linear || state_.buffer, "linearise() comes before apply() of a non-linear form");
  constrain_or_hold("constrain_take", {x.buffer, fixed_saved_});
  tied_dofs_.take(x);
  if (differences_)
    differences_->apply(x, y);
  else
    integrate(IntegralKind::linearised, local_state_, local_dofs_.read(x, storage_), y);
  tied_dofs_.give_back(x, y);
  constrain_or_hold("constrain_give_back", {x.buffer, y.buffer, fixed_saved_});
}

HaloCounts FormOperator::halo_per_apply() const {
  HaloCounts counts;
  for (int i = 0; i < num_exchanges(); ++i)
    counts += local_dofs_.counts();
  return counts;
}

void FormOperator::exchange(const Vector &x) {
  for (int i = 0; i < num_exchanges(); ++i)
    local_dofs_.fetch(x);
}

void FormOperator::apply_without_exchange(const Vector &x, Vector &y) {
  local_dofs_.leave_ghosts(true);
  apply(x, y);
  local_dofs_.leave_ghosts(false);
}

void FormOperator::diagonal(Vector &d) {
  require(d_.form.linear || state_.buffer, "linearise() comes before diagonal()");
  if (differences_)
    differences_->diagonal(d);
  else
    integrate(IntegralKind::diagonal, local_state_, {}, d);
  tied_dofs_.fold_diagonal(d);
  constrain_or_hold("constrain_set", {d.buffer, one_, std::int32_t{0}});
}

void FormOperator::set_constrained(Vector &u) {
  constrain("constrain_set", {u.buffer, constrained_values_, std::int32_t{1}});
  tied_dofs_.set(u);
}

} // namespace weft
