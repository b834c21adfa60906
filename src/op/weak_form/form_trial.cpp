#include "op/weak_form/form_trial.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "base/timer.h"

namespace weft {

namespace {

// Short runs are repeated until about so much has passed: finishing takes some 50 us, and a solver
// does not wait after every application.
constexpr double enough_s = 2e-3;
constexpr double most_repeats = 50;
// Cells whose rows are computed by the reference loops.
constexpr std::int64_t sampled_cells = 200;
// Relative to the largest entry of a field: rounding of sums of some hundred products, and of
// coordinates, which small and flat cells make larger. An entry that is wrong is off by far more.
constexpr double tolerance_f64 = 1e-9, tolerance_f32 = 2e-3;

// Multiples of 2^-10 in [0, 1): different from node to node, exact in all precisions.
double pattern(std::size_t i, std::size_t step) {
  return static_cast<double>(i * step % 1021) / 1024;
}

// dt(u) = shift * u + direction, for forms that have it, and dt(dt(u)) in the same way.
constexpr double trial_shift = 1, trial_velocity_shift = 0.75, trial_acceleration_shift = 0.5;

double largest(const std::vector<double> &values) {
  double most = 0;
  for (const double value : values)
    most = std::max(most, std::abs(value));
  return most;
}

} // namespace

TrialInput make_trial_input(const Discretisation &d, const std::vector<double> &state,
                            Precision precision) {
  TrialInput input;
  const double most = largest(state);
  const double scale = most > 0 ? most / 64 : 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(d.num_owned); ++i) {
    const double u = (state.empty() ? 0 : state[i]) + scale * pattern(i, 367);
    input.state.push_back(precision == Precision::f32 ? static_cast<float>(u) : u);
    input.direction.push_back(pattern(i, 613) - 0.5);
  }
  return input;
}

ExpectedResult::ExpectedResult(Device &device, const Discretisation &d,
                               const OperatorSettings &base, IntegralKind kind,
                               const TrialInput &input)
    : tolerance_(base.precision == Precision::f64 ? tolerance_f64 : tolerance_f32),
      field_offset_(d.field_offset) {
  if (d.form.c_text.empty()) { // the reference loops have no compiler
    const reference::Sampled sampled(d, sampled_cells, 1);
    rows_ = sampled.dofs();
    const Rate rate{&input.direction, trial_shift, &input.direction, trial_velocity_shift,
                    trial_acceleration_shift};
    sampled_ = kind == IntegralKind::residual ? sampled.residual(input.state, rate)
                                              : sampled.apply(input.state, input.direction, rate);
  }
  OperatorSettings plain = base;
  plain.strategy = Strategy::cell;
  plain.geometry = GeometrySource::on_the_fly;
  plain.lanes = 1;
  plain.sums = Summation::points;
  try {
    plain_ = FormTrial(device, d, plain, kind, input, nullptr).result();
  } catch (const Error &error) {
    if (rows_.empty())
      throw;
    log::notice("results are compared with the reference loops only: {}", error.what());
  }
  find_scales(d);
  // Where the plain strategy is itself wrong it is no measure.
  for (std::size_t i = 0; i < rows_.size() && !plain_.empty(); ++i)
    if (const auto differs =
            compare_row(rows_[i], plain_[rows_[i]], sampled_[i], "the reference loops")) {
      log::notice("the plainest strategy is wrong: {}", *differs);
      plain_.clear();
    }
}

std::size_t ExpectedResult::field_of(std::int64_t dof) const {
  return std::upper_bound(field_offset_.begin(), field_offset_.end(), dof) - field_offset_.begin() -
         1;
}

void ExpectedResult::find_scales(const Discretisation &d) {
  scale_.assign(field_offset_.size(), 0);
  const std::vector<std::int32_t> &prescribed = d.constraints.dofs;
  const auto add = [&](std::int64_t dof, double value) {
    if (!std::binary_search(prescribed.begin(), prescribed.end(), dof) && std::isfinite(value))
      scale_[field_of(dof)] = std::max(scale_[field_of(dof)], std::abs(value));
  };
  for (std::size_t dof = 0; dof < plain_.size(); ++dof)
    add(static_cast<std::int64_t>(dof), plain_[dof]);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    add(rows_[i], sampled_[i]);
  const double all = largest(scale_);
  for (double &scale : scale_)
    scale = scale > 0 ? scale : (all > 0 ? all : 1);
}

std::optional<std::string> ExpectedResult::compare_row(std::int64_t row, double found,
                                                       double expected, const char *with) const {
  const bool same = std::isfinite(expected)
                        ? std::abs(found - expected) <=
                              tolerance_ * std::max(scale_[field_of(row)], std::abs(expected))
                        : !std::isfinite(found);
  if (same)
    return {};
  return fmt::format("entry {} is {:.9g}, and {:.9g} by {}", row, found, expected, with);
}

std::optional<std::string> ExpectedResult::compare(const std::vector<double> &result) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (auto differs = compare_row(rows_[i], result[rows_[i]], sampled_[i], "the reference loops"))
      return differs;
  for (std::size_t dof = 0; dof < plain_.size(); ++dof)
    if (auto differs = compare_row(static_cast<std::int64_t>(dof), result[dof], plain_[dof],
                                   "strategy \"cell\" with one lane"))
      return differs;
  return {};
}

FormTrial::FormTrial(Device &device, const Discretisation &d, const OperatorSettings &settings,
                     IntegralKind kind, const TrialInput &input,
                     std::function<const ExpectedResult &()> expected)
    : device_(device), op_(device, d, settings), kind_(kind),
      state_(make_vector(device, op_.size(), op_.precision(), "state")),
      direction_(make_vector(device, op_.size(), op_.precision(), "direction")),
      result_(make_vector(device, op_.size(), op_.precision(), "result")),
      expected_(std::move(expected)) {
  set_vector(device, state_, input.state);
  set_vector(device, direction_, input.direction);
  op_.set_rate(direction_, trial_shift);
  op_.set_second_rate(direction_, trial_acceleration_shift, trial_velocity_shift);
  op_.linearise(state_);
  apply();
  device_.finish(); // compiled
  const Timer timer;
  apply();
  device_.finish();
  repeats_ = static_cast<int>(std::clamp(enough_s / timer.seconds(), 1.0, most_repeats));
}

void FormTrial::apply() {
  if (kind_ == IntegralKind::residual)
    op_.residual(state_, result_);
  else
    op_.apply(direction_, result_);
}

double FormTrial::run() {
  // What another variant left in the caches is not what a solver finds there.
  if (repeats_ > 1)
    apply();
  device_.finish();
  const Timer timer;
  for (int i = 0; i < repeats_; ++i)
    apply();
  device_.finish();
  return timer.seconds() / repeats_;
}

std::vector<double> FormTrial::result() {
  apply();
  return get_vector(device_, result_);
}

std::optional<std::string> FormTrial::validate() {
  return expected_().compare(result());
}

} // namespace weft
