#include "solve/time/dirk_stepper.h"

#include <algorithm>

namespace weft {

DirkStepper::DirkStepper(const SteppedSystem &system, const SolverSettings &solver,
                         const TimeSettings &settings)
    : ImplicitStepper(system, solver, settings, 2), usual_(make_dirk(settings.scheme)),
      starting_(make_starting_dirk(settings.scheme)),
      motion_(op(), kernels_, system_.move_to, system.prescribed_values_move),
      base_(kernels_.vector("known part of a stage")),
      prescribed_(kernels_.vector("prescribed values of a stage")) {
  for (std::size_t i = 0; i < std::max(usual_.a.size(), starting_.a.size()); ++i)
    k_.push_back(kernels_.vector("rate of a stage"));
}

int DirkStepper::order() const {
  return tableau().embedded.empty() ? tableau().order : tableau().error_order;
}

double DirkStepper::error_factor(const StepAttempt &, std::size_t) const {
  return 0; // error_of_step() has another
}

SolveReport DirkStepper::solve_stage(std::size_t i, const StepAttempt &attempt,
                                     const SolveProgress &progress) {
  const DirkTableau &t = tableau();
  const double h = attempt.length, diagonal = h * t.a[i][i];
  kernels_.copy(history_[0], base_);
  for (std::size_t j = 0; j < i; ++j)
    kernels_.combine(base_, 1, base_, h * t.a[i][j], k_[j]);
  motion_.derivative(1, t.c[i], prescribed_);
  kernels_.combine(prescribed_, diagonal, prescribed_, 1, base_);
  system_.move_to(state_.time + t.c[i] * h);
  op().prescribe(prescribed_);
  // The rate of the stage before leads to a first guess.
  if (i > 0)
    kernels_.combine(next_, diagonal, k_[i - 1], 1, base_);
  else
    kernels_.copy(history_[0], next_);
  op().set_constrained(next_);
  kernels_.combine(offset_, -1 / diagonal, base_, 0, base_);
  op().set_rate(offset_, 1 / diagonal);
  SolveReport report = solve_system(next_, progress);
  kernels_.combine(k_[i], 1 / diagonal, next_, -1 / diagonal, base_);
  return report;
}

SolveReport DirkStepper::solve(const StepAttempt &attempt, const SolveProgress &progress) {
  const DirkTableau &t = tableau();
  motion_.sample(state_.time, attempt.length);
  std::size_t first = 0;
  if (t.starts_with_rate()) {
    kernels_.copy(rates_[0], k_[0]);
    first = 1;
  }
  SolveReport all;
  for (std::size_t i = first; i < t.a.size(); ++i) {
    SolveReport report = solve_stage(i, attempt, progress);
    if (i > first)
      add_work(all, report);
    all = std::move(report);
    if (!all.converged)
      return all;
  }
  system_.move_to(attempt.time);
  op().set_constrained(next_);
  return all;
}

bool DirkStepper::error_of_step(const StepAttempt &attempt, Vector &error) {
  const DirkTableau &t = tableau();
  if (t.embedded.empty())
    return false;
  kernels_.zero(error);
  for (std::size_t i = 0; i < t.a.size(); ++i)
    kernels_.combine(error, 1, error, attempt.length * (t.a.back()[i] - t.embedded[i]), k_[i]);
  return true;
}

void DirkStepper::take_over(const StepAttempt &) {
  Vector &last = k_[tableau().a.size() - 1];
  if (rates_.empty())
    rates_.push_back(kernels_.vector("rate at the end of a step"));
  std::swap(rates_[0], last);
}

} // namespace weft
