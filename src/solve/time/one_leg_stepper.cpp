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

void OneLegStepper::take_explicit_terms(double h) {
  system_.explicit_terms(state_.time, history_[0], load_);
  if (history_.size() < 2 || (!is_bdf2() && theta() == 1))
    return;
  if (!earlier_terms_.buffer)
    earlier_terms_ = kernels_.vector("explicit terms of an earlier state");
  system_.explicit_terms(state_.time - state_.steps[0], history_[1], earlier_terms_);
  const double weight = h / state_.steps[0] * (is_bdf2() ? 1 : 0.5);
  kernels_.combine(load_, 1 + weight, load_, -weight, earlier_terms_);
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
  if (has_explicit_terms())
    take_explicit_terms(h);
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
    // With explicit terms: as if all of the rate were explicit, where the error is largest.
    const double before = state_.steps[0], w = h / before;
    if (is_bdf2())
      return (has_explicit_terms() ? 2 : 1) * h * h * (h + before) * (1 + w) / (1 + 2 * w);
    return has_explicit_terms() ? h * h * (h + 1.5 * before) : h * h * h / 2;
  }
  if (!is_bdf2() && theta() != 0.5)
    return h * h * std::max(2 * theta() - 1, 1.0 / 6);
  return h * h;
}

} // namespace weft
