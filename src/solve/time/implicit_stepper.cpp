#include "solve/time/implicit_stepper.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/error.h"
#include "solve/rounding.h"

namespace weft {

namespace {

std::size_t states_to_keep(const TimeSettings &settings) {
  const bool second_order = settings.scheme == TimeScheme::bdf2 || settings.theta == 0.5;
  return settings.adaptive() && second_order ? most_states_kept : 2;
}

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

ImplicitStepper::ImplicitStepper(NonlinearOperator &op, const SolverSettings &solver,
                                 const TimeSettings &settings,
                                 std::vector<std::int64_t> field_offset, MoveTo move_to)
    : Stepper(settings), op_(op), field_offset_(std::move(field_offset)),
      move_to_(std::move(move_to)),
      tolerance_(op.linear() ? solver.tolerance : solver.newton.tolerance),
      solver_(op, for_steps(solver)), kernels_(op.device(), op.precision(), op.layout(), 1, {}),
      next_(kernels_.vector("next state")), offset_(kernels_.vector("offset of time derivatives")),
      stage_(kernels_.vector("stage of a step")), depth_(states_to_keep(settings)) {
  kernels_.zero(offset_);
  op_.set_rate(offset_, 0);
}

void ImplicitStepper::start(const std::vector<double> &state) {
  TimeState first{.time = settings_.start};
  first.states = {state};
  first.field_scale.assign(field_offset_.size(), 0);
  resume(first);
  op_.set_constrained(history_[0]);
}

void ImplicitStepper::resume(const TimeState &state) {
  require(!state.states.empty() && state.steps.size() + 1 >= state.states.size(),
          "a state to go on from, and the steps between earlier ones");
  state_ = state;
  state_.states.clear();
  history_.clear();
  for (std::size_t i = 0; i < std::min(depth_, state.states.size()); ++i) {
    history_.push_back(kernels_.vector("state"));
    op_.set_dofs(state.states[i], history_.back());
  }
  move_to_(state_.time);
}

TimeState ImplicitStepper::state() const {
  TimeState state = state_;
  for (const Vector &u : history_)
    state.states.push_back(op_.dofs(u));
  return state;
}

std::vector<double> ImplicitStepper::read(const Vector &v) const {
  return get_vector(kernels_.device(), v);
}

std::vector<double> ImplicitStepper::solution() const {
  return op_.dofs(history_.front());
}

int ImplicitStepper::order() const {
  if (settings_.scheme == TimeScheme::bdf2)
    return history_.size() > 1 ? 2 : 1;
  return settings_.theta == 0.5 ? 2 : 1;
}

double ImplicitStepper::longest_step() const {
  if (!settings_.adaptive())
    return settings_.step;
  return settings_.max_step > 0 ? settings_.max_step : std::numeric_limits<double>::infinity();
}

// The state that a step of F begins at.
const Vector &ImplicitStepper::begin_step(double h) {
  if (!op_.splits_reactions())
    return history_[0];
  if (!reacted_.buffer)
    reacted_ = kernels_.vector("state after half a step of reactions");
  kernels_.copy(history_[0], reacted_);
  op_.react(state_.time, h / 2, reacted_);
  return reacted_;
}

void ImplicitStepper::predict(const StepAttempt &attempt, const Vector &begin, Vector &u) {
  if (history_.size() == 1 || op_.splits_reactions()) {
    kernels_.copy(begin, u);
    return;
  }
  const double ratio = attempt.length / state_.steps[0];
  kernels_.combine(u, 1 + ratio, history_[0], -ratio, history_[1]);
}

SolveReport ImplicitStepper::solve(const StepAttempt &attempt, const SolveProgress &progress) {
  const double h = attempt.length;
  const Vector &u = begin_step(h);
  const bool bdf2 = order() == 2 && settings_.scheme == TimeScheme::bdf2;
  const double theta = settings_.scheme == TimeScheme::theta ? settings_.theta : 1;
  predict(attempt, u, next_);
  move_to_(attempt.time);
  op_.set_constrained(next_);
  double shift = 1 / (theta * h);
  if (bdf2) {
    const double w = h / state_.steps[0];
    shift = (1 + 2 * w) / ((1 + w) * h);
    kernels_.combine(offset_, -(1 + w) / h, u, w * w / ((1 + w) * h), history_[1]);
  } else {
    kernels_.combine(offset_, -shift, u, 0, u);
  }
  Vector &unknown = theta < 1 ? stage_ : next_;
  if (theta < 1) {
    kernels_.combine(stage_, theta, next_, 1 - theta, u);
    move_to_(state_.time + theta * h);
    op_.prescribe(stage_);
  }
  op_.set_rate(offset_, shift);
  if (state_.num_steps == 0)
    measure_rounding(unknown);
  SolveReport report = solver_.solve(unknown, progress, {.reference = state_.residual_scale});
  if (report.converged)
    state_.residual_scale = std::max(state_.residual_scale, report.initial_residual);
  if (theta < 1) {
    kernels_.combine(next_, 1 / theta, stage_, 1 - 1 / theta, u);
    move_to_(attempt.time);
    op_.set_constrained(next_);
  }
  if (report.converged)
    op_.react(state_.time + h / 2, h / 2, next_);
  return report;
}

// Where a run begins in equilibrium the first residual is nothing to compare with: one within
// rounding is as good as none.
void ImplicitStepper::measure_rounding(const Vector &u) {
  Vector free = kernels_.vector("state without prescribed values");
  op_.linearise(u);
  kernels_.zero(free);
  op_.set_constrained(free);
  kernels_.combine(free, 1, u, -1, free);
  const double allowed = rounding_of_residual(op_, free);
  if (std::isfinite(allowed))
    state_.residual_scale = std::max(state_.residual_scale, allowed / tolerance_);
}

// The estimate relative to the tolerance; none at the first step.
std::optional<double> ImplicitStepper::estimated_error(const StepAttempt &attempt) {
  const std::size_t differences = std::min<std::size_t>(order() + 1, history_.size());
  const double h = attempt.length;
  if (differences < 2)
    return {};
  std::vector<double> times = {0, -h};
  for (std::size_t i = 0; times.size() <= differences; ++i)
    times.push_back(times.back() - state_.steps[i]);
  double factor = h * h; // of the divided difference
  if (differences == 2 && settings_.scheme == TimeScheme::theta && settings_.theta != 0.5)
    factor *= std::max(2 * settings_.theta - 1, 1.0 / 6);
  if (differences == 3) {
    const double w = h / state_.steps[0];
    factor = settings_.scheme == TimeScheme::bdf2
                 ? h * h * (h + state_.steps[0]) * (1 + w) / (1 + 2 * w)
                 : h * h * h / 2;
  }
  const std::vector<double> weights = divided_difference(times);
  kernels_.combine(stage_, factor * weights[0], next_, factor * weights[1], history_[0]);
  for (std::size_t i = 2; i < times.size(); ++i)
    kernels_.combine(stage_, 1, stage_, factor * weights[i], history_[i - 1]);
  // Prescribed values have no error.
  Vector prescribed = kernels_.vector("prescribed values");
  kernels_.zero(prescribed);
  op_.set_constrained(prescribed);
  op_.set_constrained(stage_);
  kernels_.combine(stage_, 1, stage_, -1, prescribed);
  return largest_share(read(stage_), read(next_), field_offset_, state_.field_scale,
                       {.ranks = kernels_.among()}) /
         *settings_.tolerance;
}

void ImplicitStepper::accept(const StepAttempt &attempt) {
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
      move_to_(state_.time);
      return report;
    }
    SolveReport report = solve(attempt, progress);
    if (report.status == SolveStatus::interrupted) { // a run that goes on takes this step anew
      move_to_(state_.time);
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
      accept(attempt);
      return report;
    }
    if (!settings_.adaptive() || attempt.length <= smallest) {
      move_to_(state_.time);
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
