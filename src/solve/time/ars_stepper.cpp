#include "solve/time/ars_stepper.h"

#include <utility>

namespace weft {

ArsStepper::ArsStepper(const SteppedSystem &system, const SolverSettings &solver,
                       const TimeSettings &settings)
    : ImplicitStepper(system, solver, settings, settings.adaptive() ? most_states_kept : 2),
      tableau_(make_ars(settings.scheme)), fields_(op(), system.field_offset, system.time_orders),
      no_rate_(kernels_.vector("no time derivative")) {
  kernels_.zero(no_rate_);
  for (std::size_t i = 0; i + 1 < tableau_.a.size(); ++i)
    implicit_.push_back(kernels_.vector("residual of a stage"));
  for (std::size_t i = 0; i < tableau_.a.size(); ++i)
    explicit_.push_back(kernels_.vector("explicit terms of a stage"));
}

void ArsStepper::take_known_sums(std::size_t i) {
  const ArsTableau &t = tableau_;
  const double diagonal = t.a[i][i];
  kernels_.combine(load_, t.explicit_a[i][0] / diagonal, explicit_[0], 0, explicit_[0]);
  for (std::size_t j = 0; j < i; ++j) {
    kernels_.combine(load_, 1, load_, t.a[i][j] / diagonal, implicit_[j]);
    kernels_.combine(load_, 1, load_, t.explicit_a[i][j + 1] / diagonal, explicit_[j + 1]);
  }
  fields_.keep(1, load_);
}

// On the line through the start of the step and the stage before, or through the last two states.
void ArsStepper::set_first_guess(std::size_t i, double h) {
  const std::vector<double> &c = tableau_.c;
  if (i > 0)
    kernels_.combine(next_, c[i] / c[i - 1], next_, 1 - c[i] / c[i - 1], history_[0]);
  else if (history_.size() > 1)
    kernels_.combine(next_, 1 + c[i] * h / state_.steps[0], history_[0],
                     -c[i] * h / state_.steps[0], history_[1]);
  else
    kernels_.copy(history_[0], next_);
}

SolveReport ArsStepper::solve_stage(std::size_t i, const StepAttempt &attempt,
                                    const SolveProgress &progress) {
  const ArsTableau &t = tableau_;
  const double h = attempt.length, diagonal = h * t.a[i][i];
  system_.move_to(i + 1 == t.a.size() ? attempt.time : state_.time + t.c[i] * h);
  set_first_guess(i, h);
  op().set_constrained(next_);
  kernels_.combine(offset_, -1 / diagonal, history_[0], 0, history_[0]);
  op().set_rate(offset_, 1 / diagonal);
  take_known_sums(i);
  return solve_system(next_, progress);
}

SolveReport ArsStepper::solve(const StepAttempt &attempt, const SolveProgress &progress) {
  const std::size_t last = tableau_.a.size() - 1;
  system_.explicit_terms(state_.time, history_[0], explicit_[0]);
  SolveReport all;
  for (std::size_t i = 0; i <= last; ++i) {
    SolveReport report = solve_stage(i, attempt, progress);
    if (i > 0)
      add_work(all, report);
    all = std::move(report);
    if (!all.converged)
      return all;
    if (i == last)
      break;
    op().set_rate(no_rate_, 0);
    op().residual(next_, implicit_[i]);
    system_.explicit_terms(state_.time + tableau_.c[i] * attempt.length, next_, explicit_[i + 1]);
  }
  return all;
}

// As if all of the rate were explicit, where the error is largest.
double ArsStepper::error_factor(const StepAttempt &attempt, std::size_t differences) const {
  const double h = attempt.length;
  return differences == 3 ? h * h * h : h * h;
}

} // namespace weft
