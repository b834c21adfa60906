#include "solve/time/explicit_stepper.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "base/error.h"
#include "solve/time/rate_spectrum.h"
#include "solve/time/step_limit.h"

namespace weft {

namespace {

constexpr std::int64_t steps_between_checks = 10;   // and between looks at the unit step
constexpr std::int64_t steps_between_spectra = 200; // a multiple of them
constexpr double stable_safety = 0.9;
constexpr double limited_cfl = 0.5;  // of steps whose states are limited
constexpr double cautious_cfl = 0.1; // where the rate shows no eigenvalues
constexpr double hardly_stable = 1e-2;
constexpr double doubtful_growth = 10;   // of the norm since it was last trusted
constexpr double resolved_share = 0.5;   // of a growth, that steps of half the length may change
constexpr double unbounded_growth = 1e6; // of the norm, by itself
// Growth by itself: of the logarithm of the norm, what is noise; what a state that is smaller by
// a share shows; what is fast in the time in which a wave crosses a cell.
constexpr double least_growth = 1e-2, smaller_share = 1e-3, own_share = 0.5, fast_growth = 0.05;

// The next number below with seven binary digits: eigenvalues differ in the last ones with the
// number of ranks, and steps should not.
double in_few_digits(double value) {
  constexpr int digits = 7;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::floor(std::ldexp(fraction, digits)), exponent - digits);
}

} // namespace

ExplicitStepper::ExplicitStepper(ExplicitOperator &op, const TimeSettings &settings,
                                 std::vector<std::int64_t> field_offset)
    : Stepper(settings), op_(op), field_offset_(std::move(field_offset)),
      scheme_(make_runge_kutta(settings.scheme)),
      kernels_(op.device(), op.precision(), op.layout(), 1, {}) {
  require(!settings.adaptive() || scheme_.embedded, "adaptive steps have an embedded solution");
  for (int i = 0; i < (scheme_.uses_start() ? 3 : 2); ++i)
    registers_.push_back(kernels_.vector("state"));
  if (scheme_.uses_sum())
    sum_ = kernels_.vector("sum of stages");
  good_.q = kernels_.vector("last good state");
  for (Vector &v : registers_)
    kernels_.zero(v); // padding is finite
  if (sum_)
    kernels_.zero(*sum_);
}

void ExplicitStepper::start(const std::vector<double> &state) {
  state_ = {.time = settings_.start};
  state_.field_scale.assign(field_offset_.size(), 0);
  op_.set_state(state, registers_[0]);
  op_.limit(state_.time, registers_[0]);
  if (find_unit_step())
    look_at_steps();
  begin();
  state_.trusted_norm = state_.driven_norm = good_.norm;
}

void ExplicitStepper::resume(const TimeState &state) {
  require(state.states.size() == 1, "one state to go on from");
  state_ = state;
  state_.states.clear();
  op_.set_state(state.states[0], registers_[0]);
  begin();
}

void ExplicitStepper::begin() {
  kernels_.copy(registers_[0], good_.q);
  good_.norm = kernels_.norm(registers_[0]);
  good_.state = state_;
  steps_since_check_.clear();
  failed_state_.clear();
}

TimeState ExplicitStepper::state() const {
  TimeState state = state_;
  state.states = {solution()};
  return state;
}

std::vector<double> ExplicitStepper::solution() const {
  return op_.state(registers_[0]);
}

bool ExplicitStepper::find_unit_step() {
  state_.unit_step = op_.unit_step(state_.time, registers_[0]);
  return std::isfinite(state_.unit_step) && state_.unit_step > 0;
}

// Of the state as it is: in units of the unit step, the longest stable one.
double ExplicitStepper::stable_cfl() {
  const double step =
      stable_step(scheme_, rate_spectrum(op_, state_.time, registers_[0], field_offset_));
  double cfl = std::isfinite(step) ? step / state_.unit_step : cautious_cfl;
  if (op_.knows_longest_step())
    cfl = std::min(cfl, stable_disc(scheme_));
  return cfl;
}

void ExplicitStepper::choose_cfl() {
  double cfl = in_few_digits(stable_cfl());
  if (op_.knows_longest_step())
    cfl = std::min(cfl, 1.);
  if (settings_.scheme == TimeScheme::euler && cfl < hardly_stable)
    throw Error(ErrorKind::input, {.what = "no step of explicit Euler is stable with this law, "
                                           "whose waves hardly decay",
                                   .where = "[time] scheme",
                                   .found = "euler",
                                   .allowed = "lsrk4, rk4, ssprk3",
                                   .remedy = "leave the scheme out, which is lsrk4 then"});
  state_.stable_cfl = stable_safety * cfl * settings_.stable_share;
  if (op_.limits_states())
    state_.stable_cfl = std::min(state_.stable_cfl, limited_cfl * settings_.stable_share);
  state_.stable_unit_step = state_.unit_step;
}

// The steps that were asked for, at the start.
void ExplicitStepper::look_at_steps() {
  if (follows_stability())
    return choose_cfl();
  if (settings_.adaptive())
    return;
  if (op_.knows_longest_step() && settings_.step > 0)
    check_fixed_step(scheme_, settings_, state_.unit_step);
  const bool by_cfl = settings_.cfl > 0;
  const double cfl = stable_cfl();
  const double found = by_cfl ? settings_.cfl : settings_.step;
  const double stable = by_cfl ? cfl : cfl * state_.unit_step;
  if (found > stable)
    remark_ =
        fmt::format("{} = {:.4g} is more than the scheme is stable with at the start: {:.3g}, "
                    "as the eigenvalues of the rate say; leave it out, and steps are as long "
                    "as they may be",
                    by_cfl ? "cfl" : "step", found, stable);
}

// None where the state has no unit step.
std::optional<double> ExplicitStepper::longest_step() {
  double longest = std::numeric_limits<double>::infinity();
  if (settings_.max_step > 0)
    longest = settings_.max_step;
  if (!settings_.adaptive() && settings_.step > 0)
    longest = std::min(longest, settings_.step);
  if (!follows_unit_step())
    return longest;
  if (state_.num_steps < steps_between_checks && !find_unit_step())
    return {};
  const double cfl = follows_stability() ? state_.stable_cfl : settings_.cfl;
  return std::min(longest, cfl * state_.unit_step);
}

// The new state becomes register 0 and changes places with the old one, which is lost unless the
// scheme goes back to it (then stages leave its register alone).
void ExplicitStepper::advance(double time, double h) {
  const bool keep_start = scheme_.uses_start();
  stage_register_.clear();
  op_.react(time, h / 2, registers_[0]);
  int now = 0;
  for (std::size_t i = 0; i < scheme_.stages.size(); ++i) {
    const RungeKuttaStage &stage = scheme_.stages[i];
    int out = keep_start ? 1 : 0;
    while (out == now)
      ++out;
    op_.stage(time + stage.time * h, h, stage.update, registers_[now],
              stage.update.uses_start ? &registers_[0] : nullptr,
              stage.update.uses_sum ? &*sum_ : nullptr, registers_[out]);
    const double end = i + 1 < scheme_.stages.size() ? scheme_.stages[i + 1].time : 1;
    op_.limit(time + end * h, registers_[out]);
    stage_register_.push_back(out);
    now = out;
  }
  std::swap(registers_[0], registers_[now]);
  op_.react(time + h / 2, h / 2, registers_[0]);
}

// Error of the last step, relative to the tolerance.
double ExplicitStepper::estimated_error(std::vector<double> &field_scale) {
  const EmbeddedSolution &embedded = *scheme_.embedded;
  const Vector &start = registers_[stage_register_.back()]; // see advance()
  Vector &stage = registers_[stage_register_[embedded.stage]];
  kernels_.combine(stage, -embedded.stage_weight, stage, 1, registers_[0]);
  kernels_.combine(stage, 1, stage, -embedded.start_weight, start);
  return largest_share(op_.state(stage), op_.state(registers_[0]), field_offset_, field_scale,
                       {.ranks = op_.layout().among, .counted_by = &op_}) /
         *settings_.tolerance;
}

// Returns whether it was accepted.
bool ExplicitStepper::attempt_step(const StepAttempt &attempt) {
  advance(state_.time, attempt.length);
  state_.num_iterations += static_cast<std::int64_t>(scheme_.stages.size());
  if (settings_.adaptive()) {
    std::vector<double> field_scale = state_.field_scale;
    const double error = estimated_error(field_scale);
    if (std::isfinite(error))
      control_step(state_, attempt, error, scheme_.embedded->order);
    else
      state_.wanted_step = attempt.length / 2;
    if (!(error <= 1)) {
      std::swap(registers_[0], registers_[stage_register_.back()]);
      ++state_.num_rejected;
      return false;
    }
    state_.field_scale = field_scale;
  }
  state_.steps = {attempt.length};
  state_.time = attempt.time;
  ++state_.num_steps;
  steps_since_check_.push_back(attempt);
  return true;
}

bool ExplicitStepper::finite(double norm) {
  if (std::isfinite(norm))
    return true;
  // Squares may overflow where the entries do not: zero times what is not finite is NaN.
  kernels_.combine(registers_[1], 0, registers_[0], 0, registers_[0]);
  return std::isfinite(kernels_.norm(registers_[1]));
}

// The steps since the last check again, each as two.
bool ExplicitStepper::growth_is_resolved(double norm) {
  Vector kept = kernels_.vector("state to be checked");
  kernels_.copy(registers_[0], kept);
  kernels_.copy(good_.q, registers_[0]);
  double time = good_.state.time;
  for (const StepAttempt &step : steps_since_check_) {
    advance(time, step.length / 2);
    advance(time + step.length / 2, step.length / 2);
    time = step.time;
  }
  kernels_.combine(registers_[1], 1, kept, -1, registers_[0]);
  const double difference = kernels_.norm(registers_[1]);
  kernels_.copy(kept, registers_[0]);
  return difference <= resolved_share * std::abs(norm - good_.norm);
}

// Whether the growth since the last check is the state's own, and not driven by what it is given
// (prescribed values, sources): from a state that is a little smaller the same steps then lead to
// one that is smaller by more. And whether it is faster than a mesh resolves, which the growth of
// waves in space is not: a good part of it while a wave crosses a cell.
bool ExplicitStepper::grows_by_itself(double norm) {
  const double growth = std::log(norm / good_.norm);
  const double duration = state_.time - good_.state.time;
  if (!(good_.norm > 0) || !(growth > least_growth) ||
      !(growth * op_.unit_step(state_.time, registers_[0]) > fast_growth * duration))
    return false;
  Vector kept = kernels_.vector("state to be checked");
  kernels_.copy(registers_[0], kept);
  kernels_.combine(registers_[0], 1 - smaller_share, good_.q, 0, good_.q);
  double time = good_.state.time;
  for (const StepAttempt &step : steps_since_check_) {
    advance(time, step.length);
    time = step.time;
  }
  kernels_.combine(registers_[1], 1, kept, -1, registers_[0]);
  const double amplification = kernels_.norm(registers_[1]) / (smaller_share * good_.norm);
  kernels_.copy(kept, registers_[0]);
  return std::log(amplification) > own_share * growth;
}

// A million times over the largest norm that it was driven to. A law whose sources depend on the
// state may grow so: those of chain reactions do.
bool ExplicitStepper::grows_without_bound(double norm) {
  if (op_.sources_depend_on_state())
    return false;
  if (grows_by_itself(norm))
    return norm > unbounded_growth * state_.driven_norm;
  state_.driven_norm = norm;
  return false;
}

SolveStatus ExplicitStepper::check() {
  const double norm = kernels_.norm(registers_[0]);
  if (!finite(norm))
    return SolveStatus::not_finite;
  if (std::isfinite(norm) && norm > doubtful_growth * state_.trusted_norm) {
    if (!growth_is_resolved(norm))
      return SolveStatus::unstable;
    if (grows_without_bound(norm))
      return SolveStatus::unbounded;
    grew_ = true;
    state_.trusted_norm = norm;
  }
  if (follows_unit_step() && !find_unit_step())
    return SolveStatus::no_wave_speed;
  if (follows_stability() && state_.num_steps % steps_between_spectra == 0 &&
      state_.unit_step != state_.stable_unit_step)
    choose_cfl();
  kernels_.copy(registers_[0], good_.q);
  good_.state = state_;
  good_.norm = norm;
  steps_since_check_.clear();
  return SolveStatus::converged;
}

// The steps since the last check again, up to the first that leaves a state that is not finite:
// the place where that began, before it spreads.
void ExplicitStepper::find_first_fault() {
  kernels_.copy(good_.q, registers_[0]);
  double time = good_.state.time;
  for (const StepAttempt &step : steps_since_check_) {
    advance(time, step.length);
    time = step.time;
    if (!finite(kernels_.norm(registers_[0])))
      break;
  }
  state_.time = time;
}

SolveReport ExplicitStepper::fail(SolveStatus status, const std::string &detail) {
  if (status == SolveStatus::not_finite)
    find_first_fault();
  failed_state_ = solution();
  failed_time_ = state_.time;
  kernels_.copy(good_.q, registers_[0]);
  state_ = good_.state;
  steps_since_check_.clear();
  SolveReport report;
  finish_report(report, status, detail);
  return report;
}

SolveReport ExplicitStepper::step(const SolveProgress &) {
  require(!finished(), "a time that is not reached");
  const std::int64_t before = state_.num_iterations;
  grew_ = false;
  for (;;) {
    const std::optional<double> longest = longest_step();
    if (!longest)
      return fail(SolveStatus::no_wave_speed, fmt::format("at time {:.9g}", state_.time));
    const StepAttempt attempt = next_attempt(settings_, state_, *longest);
    if (const std::string why = vanishing_step(settings_, attempt); !why.empty())
      return fail(SolveStatus::step_lost, why);
    if (attempt_step(attempt))
      break;
    if (attempt.length <= smallest_step(settings_))
      return fail(SolveStatus::step_too_small, fmt::format("at time {:.9g}", state_.time));
  }
  if (at_stop() || state_.num_steps % steps_between_checks == 0) {
    const double last = good_.state.time, now = state_.time;
    if (const SolveStatus status = check(); status != SolveStatus::converged)
      return fail(status, fmt::format("between time {:.9g} and {:.9g}", last, now));
  }
  SolveReport report;
  report.iterations = static_cast<int>(state_.num_iterations - before);
  finish_report(report, SolveStatus::converged);
  return report;
}

} // namespace weft
