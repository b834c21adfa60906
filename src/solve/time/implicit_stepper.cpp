#include "solve/time/implicit_stepper.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/error.h"
#include "solve/rounding.h"

namespace weft {

namespace {

// A step's residual is not recomputed in another precision, which would take about as long as to
// solve for it.
SolverSettings for_steps(SolverSettings settings) {
  settings.final_residual_in_f64 = false;
  return settings;
}

// Weights of f(times[i]) in the divided difference of f at all times.
std::vector<double> divided_difference(const std::vector<double> &times) {
  std::vector<double> weights(times.size(), 1);
  for (std::size_t i = 0; i < times.size(); ++i)
    for (std::size_t j = 0; j < times.size(); ++j)
      if (i != j)
        weights[i] /= times[i] - times[j];
  return weights;
}

} // namespace

std::size_t rates_kept(TimeScheme scheme) {
  if (scheme == TimeScheme::generalised_alpha)
    return 2;
  const bool dirk =
      scheme == TimeScheme::dirk2 || scheme == TimeScheme::dirk3 || scheme == TimeScheme::dirk4;
  return dirk ? 1 : 0;
}

ImplicitStepper::ImplicitStepper(SteppedSystem system, const SolverSettings &solver,
                                 const TimeSettings &settings, std::size_t states_kept)
    : Stepper(settings), system_(std::move(system)),
      tolerance_(op().linear() ? solver.tolerance : solver.newton.tolerance),
      solver_(op(), for_steps(solver)),
      kernels_(op().device(), op().precision(), op().layout(), 1, {}),
      next_(kernels_.vector("next state")), offset_(kernels_.vector("offset of time derivatives")),
      stage_(kernels_.vector("stage of a step")), depth_(states_kept) {
  kernels_.zero(offset_);
  op().set_rate(offset_, 0);
  if (has_explicit_terms())
    load_ = kernels_.vector("explicit terms");
}

void ImplicitStepper::start(const std::vector<double> &state) {
  TimeState first{.time = settings_.start};
  first.states = {state};
  first.field_scale.assign(system_.field_offset.size(), 0);
  resume(first);
  op().set_constrained(history_[0]);
}

void ImplicitStepper::resume(const TimeState &state) {
  require(!state.states.empty() && state.steps.size() + 1 >= state.states.size(),
          "a state to go on from, and the steps between earlier ones");
  state_ = state;
  state_.states.clear();
  state_.rates.clear();
  const auto upload = [&](const std::vector<std::vector<double>> &from, std::size_t most,
                          std::vector<Vector> &to) {
    to.clear();
    for (std::size_t i = 0; i < std::min(most, from.size()); ++i) {
      to.push_back(kernels_.vector("state"));
      op().set_dofs(from[i], to.back());
    }
  };
  upload(state.states, depth_, history_);
  upload(state.rates, rates_kept(settings_.scheme), rates_);
  system_.move_to(state_.time);
}

TimeState ImplicitStepper::state() const {
  TimeState state = state_;
  for (const Vector &u : history_)
    state.states.push_back(system_.op.dofs(u));
  state.rates = rates();
  return state;
}

std::vector<double> ImplicitStepper::solution() const {
  return system_.op.dofs(history_.front());
}

std::vector<std::vector<double>> ImplicitStepper::rates() const {
  std::vector<std::vector<double>> rates;
  for (const Vector &rate : rates_)
    rates.push_back(system_.op.dofs(rate));
  return rates;
}

double ImplicitStepper::longest_step() const {
  if (!settings_.adaptive())
    return settings_.step;
  return settings_.max_step > 0 ? settings_.max_step : std::numeric_limits<double>::infinity();
}

void ImplicitStepper::predict(const StepAttempt &attempt, const Vector &begin, Vector &u) {
  if (history_.size() == 1 || op().splits_reactions()) {
    kernels_.copy(begin, u);
    return;
  }
  const double ratio = attempt.length / state_.steps[0];
  kernels_.combine(u, 1 + ratio, history_[0], -ratio, history_[1]);
}

SolveReport ImplicitStepper::solve_system(Vector &u, const SolveProgress &progress) {
  if (state_.num_steps == 0)
    measure_rounding(u);
  op().set_load(load_);
  SolveReport report =
      solver_.solve(u, progress, {.reference = state_.residual_scale, .every_field = true});
  op().set_load({});
  if (report.converged)
    state_.residual_scale = std::max(state_.residual_scale, report.initial_residual);
  return report;
}

void ImplicitStepper::add_work(const SolveReport &of_earlier, SolveReport &report) {
  report.iterations += of_earlier.iterations;
  report.newton_steps += of_earlier.newton_steps;
  report.num_setups += of_earlier.num_setups;
  report.setup_seconds += of_earlier.setup_seconds;
}

// Where a run begins in equilibrium the first residual is nothing to compare with: one within
// rounding is as good as none.
void ImplicitStepper::measure_rounding(const Vector &u) {
  Vector free = kernels_.vector("state without prescribed values");
  op().linearise(u);
  kernels_.zero(free);
  op().set_constrained(free);
  kernels_.combine(free, 1, u, -1, free);
  const double allowed = rounding_of_residual(op(), free);
  if (std::isfinite(allowed))
    state_.residual_scale = std::max(state_.residual_scale, allowed / tolerance_);
}

bool ImplicitStepper::error_of_step(const StepAttempt &attempt, Vector &error) {
  const std::size_t differences = std::min<std::size_t>(order() + 1, history_.size());
  if (differences < 2)
    return false;
  std::vector<double> times = {0, -attempt.length};
  for (std::size_t i = 0; times.size() <= differences; ++i)
    times.push_back(times.back() - state_.steps[i]);
  const double factor = error_factor(attempt, differences);
  const std::vector<double> weights = divided_difference(times);
  kernels_.combine(error, factor * weights[0], next_, factor * weights[1], history_[0]);
  for (std::size_t i = 2; i < times.size(); ++i)
    kernels_.combine(error, 1, error, factor * weights[i], history_[i - 1]);
  return true;
}

// Puts the error of the step but for prescribed values, which have none, into stage_; false: not
// known.
bool ImplicitStepper::take_error(const StepAttempt &attempt) {
  if (!error_of_step(attempt, stage_))
    return false;
  Vector prescribed = kernels_.vector("prescribed values");
  kernels_.zero(prescribed);
  op().set_constrained(prescribed);
  op().set_constrained(stage_);
  kernels_.combine(stage_, 1, stage_, -1, prescribed);
  return true;
}

// The estimate relative to the tolerance; none at the first step.
std::optional<double> ImplicitStepper::estimated_error(const StepAttempt &attempt) {
  if (!take_error(attempt))
    return {};
  const auto read = [&](const Vector &v) { return get_vector(kernels_.device(), v); };
  return largest_share(read(stage_), read(next_), system_.field_offset, state_.field_scale,
                       {.ranks = kernels_.among(), .num_absent = system_.num_absent}) /
         *settings_.tolerance;
}

// What is to be said of the step that ends a run. Explicit terms have no system that would fail:
// beyond their longest step solutions grow, in each step by about as much as they are.
std::string ImplicitStepper::doubt(const StepAttempt &attempt) {
  constexpr double most = 0.2; // of the norm of the state
  if (!has_explicit_terms() || attempt.time < settings_.end() || !take_error(attempt))
    return {};
  const double share = kernels_.norm(stage_) / kernels_.norm(next_);
  if (!(share > most))
    return {};
  return fmt::format("the last step alone is wrong by about {:.0f} % of the solution: steps of "
                     "{:.3g} are too long, perhaps for the terms of [weak_form] explicit",
                     100 * share, attempt.length);
}

void ImplicitStepper::accept(const StepAttempt &attempt) {
  take_over(attempt);
  // The vector of the oldest state becomes that of the next one.
  Vector spare = history_.size() < depth_ ? kernels_.vector("state") : history_.back();
  if (history_.size() == depth_)
    history_.pop_back();
  history_.insert(history_.begin(), next_);
  next_ = spare;
  state_.steps.insert(state_.steps.begin(), attempt.length);
  state_.steps.resize(history_.size() - 1);
  state_.time = attempt.time;
  ++state_.num_steps;
}

SolveReport ImplicitStepper::step(const SolveProgress &progress) {
  require(!finished(), "a time that is not reached");
  const double smallest = smallest_step(settings_);
  for (;;) {
    const StepAttempt attempt = next_attempt(settings_, state_, longest_step());
    if (const std::string why = vanishing_step(settings_, attempt); !why.empty()) {
      SolveReport report;
      finish_report(report, SolveStatus::step_lost, why);
      system_.move_to(state_.time);
      return report;
    }
    SolveReport report = solve(attempt, progress);
    if (report.status == SolveStatus::interrupted) { // a run that goes on takes this step anew
      system_.move_to(state_.time);
      return report;
    }
    state_.num_newton_steps += report.newton_steps;
    state_.num_iterations += report.iterations;
    std::optional<double> error;
    if (report.converged && settings_.adaptive())
      error = estimated_error(attempt);
    const bool too_large = error && !(*error <= 1);
    if (report.converged && !too_large) {
      if (settings_.adaptive())
        control_step(state_, attempt, error, order());
      if (const std::string remark = doubt(attempt); !remark.empty())
        report.remark = remark;
      accept(attempt);
      return report;
    }
    if (!settings_.adaptive() || attempt.length <= smallest) {
      system_.move_to(state_.time);
      if (too_large)
        finish_report(report, SolveStatus::step_too_small,
                      fmt::format("a step of {:.3g} has {:.3g} times the error allowed",
                                  attempt.length, *error));
      return report;
    }
    ++state_.num_rejected;
    if (too_large && std::isfinite(*error))
      control_step(state_, attempt, error, order());
    else
      state_.wanted_step = attempt.length / 2;
  }
}

} // namespace weft
