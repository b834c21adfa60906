#include "solve/time/generalised_alpha_stepper.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "solve/linear/linear.h"
#include "solve/rounding.h"

namespace weft {

namespace {

constexpr int most_passes = 50; // of the solve at the start
// Of a step: derivatives at the start are found with a Jacobian of steps so short that they alone
// count.
constexpr double short_step = 1e-4;

} // namespace

GeneralisedAlpha::GeneralisedAlpha(double spectral_radius) {
  const double r = spectral_radius;
  alpha_f = 1 / (1 + r);
  alpha_m = (2 - r) / (1 + r);
  gamma = 0.5 + alpha_m - alpha_f;
  beta = 0.25 * (1 + alpha_m - alpha_f) * (1 + alpha_m - alpha_f);
  first_alpha_m = 0.5 * (3 - r) / (1 + r);
  first_gamma = 0.5 + first_alpha_m - alpha_f;
}

GeneralisedAlphaStepper::GeneralisedAlphaStepper(const SteppedSystem &system,
                                                 const SolverSettings &solver,
                                                 const TimeSettings &settings)
    : ImplicitStepper(system, solver, settings, settings.adaptive() ? most_states_kept : 2),
      scheme_(settings.spectral_radius), solver_settings_(solver),
      motion_(op(), kernels_, system_.move_to, system.prescribed_values_move),
      fields_(op(), system.field_offset, system.time_orders),
      second_offset_(kernels_.vector("offset of second derivatives")),
      work_(kernels_.vector("work vector of a step")),
      velocity_(kernels_.vector("velocity at the end of a step")),
      acceleration_(kernels_.vector("acceleration at the end of a step")) {
  kernels_.zero(second_offset_);
}

void GeneralisedAlphaStepper::start(const std::vector<double> &state) {
  ImplicitStepper::start(state);
  begin_rates();
}

void GeneralisedAlphaStepper::resume(const TimeState &state) {
  ImplicitStepper::resume(state);
  if (state.num_steps == 0)
    begin_rates();
}

void GeneralisedAlphaStepper::begin_rates() {
  rates_ = {kernels_.vector("velocity"), kernels_.vector("acceleration")};
  kernels_.zero(rates_[1]);
  if (system_.initial_rate.empty())
    kernels_.zero(rates_[0]);
  else
    op().set_dofs(system_.initial_rate, rates_[0]);
  fields_.keep(2, rates_[0]);
  start_ = solve_for_start();
}

void GeneralisedAlphaStepper::prescribe_in(const Vector &from, Vector &to) {
  op().prescribe(from);
  op().set_constrained(to);
}

// What is short, the first step tells.
SolveReport GeneralisedAlphaStepper::solve_for_start() {
  Vector &u = history_[0], &velocity = rates_[0], &acceleration = rates_[1];
  const double h = next_attempt(settings_, state_, settings_.step).length * short_step;
  Vector residual = kernels_.vector("residual at the start"),
         increment = kernels_.vector("increment");
  Vector free = kernels_.vector("state without prescribed values");
  motion_.sample(state_.time, h / short_step);
  system_.move_to(state_.time);
  motion_.derivative(1, 0, work_);
  prescribe_in(work_, velocity);
  motion_.derivative(2, 0, work_);
  prescribe_in(work_, acceleration);
  fields_.keep(2, acceleration);
  system_.move_to(state_.time);
  LinearSolver solver(op(), solver_settings_);
  SolveReport report;
  double target = 0;
  for (int pass = 0;; ++pass) {
    op().set_rate(velocity, 0);
    op().set_second_rate(acceleration, 0, 0);
    op().residual(u, residual);
    const double norm = kernels_.norm(residual);
    // The same F linearised, as if it were of a very short step; its residual is not asked for.
    op().set_rate(velocity, 1 / h);
    op().set_second_rate(acceleration, 1 / (h * h), 0);
    op().linearise(u);
    if (pass == 0) {
      report.initial_residual = norm;
      kernels_.zero(free);
      op().set_constrained(free);
      kernels_.combine(free, 1, u, -1, free);
      target = std::max(tolerance_ * norm, rounding_of_residual(op(), acceleration) * h * h);
    }
    report.residual = report.initial_residual > 0 ? norm / report.initial_residual : 0;
    if (norm <= target) {
      finish_report(report, SolveStatus::converged);
      return report;
    }
    if (!std::isfinite(norm) || pass == most_passes) {
      finish_report(report, std::isfinite(norm) ? SolveStatus::stagnated : SolveStatus::not_finite,
                    "no time derivatives at the start fulfil the equations together with the "
                    "initial values");
      return report;
    }
    solver.update();
    const SolveReport linear = solver.solve_from_zero(residual, increment, 1e-2);
    report.iterations += linear.iterations;
    if (!linear.converged)
      return linear;
    fields_.take(2, increment, work_);
    kernels_.combine(acceleration, 1, acceleration, -1 / (h * h), work_);
    fields_.take(1, increment, work_);
    kernels_.combine(velocity, 1, velocity, -1 / h, work_);
    fields_.take(0, increment, work_);
    kernels_.combine(u, 1, u, -1, work_);
  }
}

SolveReport GeneralisedAlphaStepper::solve(const StepAttempt &attempt,
                                           const SolveProgress &progress) {
  if (state_.num_steps == 0 && !start_.converged)
    return start_;
  const GeneralisedAlpha &s = scheme_;
  const double h = attempt.length;
  const Vector &u = history_[0], &v = rates_[0], &a = rates_[1];
  kernels_.combine(next_, 1, u, h, v);
  kernels_.combine(next_, 1, next_, h * h / 2, a);
  motion_.sample(state_.time, h);
  system_.move_to(attempt.time);
  op().set_constrained(next_);
  kernels_.combine(stage_, s.alpha_f, next_, 1 - s.alpha_f, u);

  const double acceleration_shift = s.alpha_m / (s.alpha_f * s.beta * h * h);
  const double velocity_shift = s.gamma / (s.beta * h);
  const double first_shift = s.first_alpha_m / (s.alpha_f * s.first_gamma * h);
  kernels_.combine(second_offset_, -acceleration_shift, u, -s.alpha_m / (s.beta * h), v);
  kernels_.combine(second_offset_, 1, second_offset_, 1 - s.alpha_m / (2 * s.beta), a);
  kernels_.combine(offset_, -velocity_shift, u, 1 - s.alpha_f * s.gamma / s.beta, v);
  kernels_.combine(offset_, 1, offset_, s.alpha_f * h * (1 - s.gamma / (2 * s.beta)), a);
  fields_.keep(2, offset_);
  kernels_.combine(work_, -first_shift, u, 1 - s.first_alpha_m / s.first_gamma, v);
  fields_.keep(1, work_);
  kernels_.combine(offset_, 1, offset_, 1, work_);
  if (motion_.moves()) { // its own derivatives at the stage's time
    motion_.derivative(2, s.alpha_f, work_);
    kernels_.combine(work_, 1, work_, -acceleration_shift, stage_);
    prescribe_in(work_, second_offset_);
    motion_.derivative(1, s.alpha_f, work_);
    for (const auto &[order, shift] : {std::pair{2, velocity_shift}, std::pair{1, first_shift}}) {
      fields_.take(order, stage_, velocity_);
      kernels_.combine(work_, 1, work_, -shift, velocity_);
    }
    prescribe_in(work_, offset_);
  }
  system_.move_to(state_.time + s.alpha_f * h);
  op().prescribe(stage_);
  op().set_rate(offset_, first_shift);
  op().set_second_rate(second_offset_, acceleration_shift, velocity_shift);
  SolveReport report = solve_system(stage_, progress);
  kernels_.combine(next_, 1 / s.alpha_f, stage_, 1 - 1 / s.alpha_f, u);
  system_.move_to(attempt.time);
  op().set_constrained(next_);
  return report;
}

void GeneralisedAlphaStepper::take_over(const StepAttempt &attempt) {
  const GeneralisedAlpha &s = scheme_;
  const double h = attempt.length;
  const Vector &u = history_[0], &v = rates_[0], &a = rates_[1];
  kernels_.combine(work_, 1, next_, -1, u);
  kernels_.combine(acceleration_, 1 / (s.beta * h * h), work_, -1 / (s.beta * h), v);
  kernels_.combine(acceleration_, 1, acceleration_, 1 - 1 / (2 * s.beta), a);
  fields_.keep(2, acceleration_);
  kernels_.combine(velocity_, s.gamma / (s.beta * h), work_, 1 - s.gamma / s.beta, v);
  kernels_.combine(velocity_, 1, velocity_, h * (1 - s.gamma / (2 * s.beta)), a);
  fields_.keep(2, velocity_);
  kernels_.combine(work_, 1 / (s.first_gamma * h), work_, 1 - 1 / s.first_gamma, v);
  fields_.keep(1, work_);
  kernels_.combine(velocity_, 1, velocity_, 1, work_);
  if (motion_.moves()) {
    motion_.derivative(1, 1, work_);
    prescribe_in(work_, velocity_);
    motion_.derivative(2, 1, work_);
    prescribe_in(work_, acceleration_);
    fields_.keep(2, acceleration_);
    system_.move_to(attempt.time);
  }
  std::swap(rates_[0], velocity_);
  std::swap(rates_[1], acceleration_);
}

// Of the third derivative: the larger one of the errors of both kinds of fields.
double GeneralisedAlphaStepper::error_factor(const StepAttempt &attempt,
                                             std::size_t differences) const {
  const double h = attempt.length;
  if (differences < 3)
    return h * h;
  return 6 * h * h * h * std::max(1.0 / 12, std::abs(scheme_.beta - 1.0 / 6));
}

} // namespace weft
