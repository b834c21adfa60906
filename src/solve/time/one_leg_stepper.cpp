#include "solve/time/one_leg_stepper.h"

#include <algorithm>

namespace weft {

namespace {

std::size_t states_to_keep(const TimeSettings &settings) {
  const bool second_order = settings.scheme == TimeScheme::bdf2 ||
                            (settings.scheme == TimeScheme::theta && settings.theta == 0.5);
  return settings.adaptive() && second_order ? most_states_kept : 2;
}

} // namespace

OneLegStepper::OneLegStepper(const SteppedSystem &system, const SolverSettings &solver,
                             const TimeSettings &settings)
    : ImplicitStepper(system, solver, settings, states_to_keep(settings)) {}

int OneLegStepper::order() const {
  if (is_bdf2())
    return history_.size() > 1 ? 2 : 1;
  return theta() == 0.5 ? 2 : 1;
}

// The state that a step of F begins at.
const Vector &OneLegStepper::begin_step(double h) {
  if (!op().splits_reactions())
    return history_[0];
  if (!reacted_.buffer)
    reacted_ = kernels_.vector("state after half a step of reactions");
  kernels_.copy(history_[0], reacted_);
  op().react(state_.time, h / 2, reacted_);
  return reacted_;
}

SolveReport OneLegStepper::solve(const StepAttempt &attempt, const SolveProgress &progress) {
  const double h = attempt.length;
  const Vector &u = begin_step(h);
  const bool bdf2 = is_bdf2() && order() == 2;
  const double theta = this->theta();
  predict(attempt, u, next_);
  system_.move_to(attempt.time);
  op().set_constrained(next_);
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
    system_.move_to(state_.time + theta * h);
    op().prescribe(stage_);
  }
  op().set_rate(offset_, shift);
  SolveReport report = solve_system(unknown, progress);
  if (theta < 1) {
    kernels_.combine(next_, 1 / theta, stage_, 1 - 1 / theta, u);
    system_.move_to(attempt.time);
    op().set_constrained(next_);
  }
  if (report.converged)
    op().react(state_.time + h / 2, h / 2, next_);
  return report;
}

double OneLegStepper::error_factor(const StepAttempt &attempt, std::size_t differences) const {
  const double h = attempt.length;
  if (differences == 3) {
    const double w = h / state_.steps[0];
    return is_bdf2() ? h * h * (h + state_.steps[0]) * (1 + w) / (1 + 2 * w) : h * h * h / 2;
  }
  if (!is_bdf2() && theta() != 0.5)
    return h * h * std::max(2 * theta() - 1, 1.0 / 6);
  return h * h;
}

} // namespace weft
