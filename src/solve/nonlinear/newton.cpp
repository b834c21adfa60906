#include "solve/nonlinear/newton.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>
#include <fmt/format.h>

#include "base/system/interruption.h"
#include "base/timer.h"
#include "solve/nonlinear/jacobian_check.h"

namespace weft {

namespace {

constexpr double first_forcing = 1e-2; // relative tolerance of the first step's linear system
constexpr double most_forcing = 0.1;
constexpr double least_step = 1e-6; // of a Newton step
constexpr double sufficient_decrease = 1e-4;
// Ratio of a residual in f64 to what f32 has it as, for that to be believed.
constexpr double most_difference_of_f32 = 2;

} // namespace

NonlinearSolver::NonlinearSolver(NonlinearOperator &op, const SolverSettings &settings)
    : op_(op), settings_(settings),
      tolerance_(op.linear() ? settings.tolerance : settings.newton.tolerance) {}

SolveReport NonlinearSolver::end(SolveStatus status, const std::string &detail) {
  const std::string summary =
      fmt::format("{}{} iterations, relative residual {:.3g}, asked for {:.3g}",
                  op_.linear() ? "" : fmt::format("{} Newton steps, ", report_.newton_steps),
                  report_.iterations, report_.residual, tolerance_);
  report_.num_setups = solver_->num_setups() - num_setups_before_;
  report_.setup_seconds = solver_->setup_seconds() - setup_seconds_before_;
  report_.levels = solver_->levels();
  finish_report(report_, status, detail.empty() ? summary : summary + "; " + detail);
  return report_;
}

void NonlinearSolver::forget_setup() {
  if (solver_)
    solver_->forget_setup();
}

bool NonlinearSolver::holds_setup() const {
  return solver_ && solver_->holds_setup();
}

// Assembly is waited for, so that neither set-up nor solve is charged with it.
void NonlinearSolver::linearise(const Vector &u) {
  const Timer timer;
  op_.linearise(u);
  op_.device().finish();
  report_.assembly_seconds += timer.seconds();
}

void NonlinearSolver::evaluate(const Vector &u) {
  const Timer timer;
  op_.residual(u, residual_);
  op_.device().finish();
  report_.assembly_seconds += timer.seconds();
}

// Sets prescribed values, linearises, and makes or updates the linear solver.
void NonlinearSolver::start(Vector &u) {
  op_.set_constrained(u);
  linearise(u); // the solver's preconditioner looks at the operator
  if (solver_) {
    solver_->update();
    return;
  }
  solver_.emplace(op_, settings_);
  residual_ = solver_->kernels().vector("nonlinear residual");
  step_ = solver_->kernels().vector("Newton step");
}

SolveReport NonlinearSolver::solve(Vector &u, const SolveProgress &progress, double absolute) {
  progress_ = &progress;
  report_ = {};
  num_setups_before_ = solver_ ? solver_->num_setups() : 0;
  setup_seconds_before_ = solver_ ? solver_->setup_seconds() : 0;
  start(u);
  evaluate(u);
  norm_ = previous_norm_ = report_.initial_residual = solver_->kernels().norm(residual_);
  report_.residual = 1;
  report_.history = {1};
  if (!std::isfinite(norm_))
    return end(SolveStatus::not_finite);
  if (norm_ == 0) {
    report_.residual = 0;
    return end(SolveStatus::converged);
  }
  target_ = std::max(tolerance_ * norm_, absolute);
  while (norm_ > target_) {
    if (report_.newton_steps >= settings_.newton.max_iterations)
      return end(SolveStatus::max_iterations);
    if (interrupted())
      return end(SolveStatus::interrupted);
    if (!step(u))
      return report_;
    if (op_.linear()) // solve_step() has checked F(u) = A step - F(u0) from the step itself
      break;
  }
  if (!op_.linear())
    recompute_in_f64(u);
  return end(SolveStatus::converged);
}

// The residual of an operator in f32 as f64 has it: |F(u)|, of a linear one |F(u) - A step|. False
// where it stays as it is.
bool NonlinearSolver::recompute_in_f64(const Vector &u) {
  if (op_.precision() == Precision::f64 || !settings_.final_residual_in_f64)
    return false;
  NonlinearOperator *exact = op_.in_precision(Precision::f64);
  if (!exact)
    return false;
  Device &device = op_.device();
  Vector state = make_vector(device, u.size, Precision::f64, "state in f64");
  Vector result = make_vector(device, u.size, Precision::f64, "residual in f64");
  set_vector(device, state, get_vector(device, u));
  exact->set_constrained(state); // which f32 has rounded
  exact->residual(state, result);
  std::vector<double> values = get_vector(device, result);
  const auto norm = [&] {
    return Eigen::Map<const Eigen::VectorXd>(values.data(), Eigen::Index(values.size()))
        .stableNorm();
  };
  double first = report_.initial_residual;
  if (op_.linear()) {
    first = norm();
    set_vector(device, state, get_vector(device, step_));
    exact->apply(state, result);
    const std::vector<double> product = get_vector(device, result);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] -= product[i];
  }
  report_.residual = norm() / first;
  return true;
}

// One Newton step: u = u - lambda J^-1 F(u).
bool NonlinearSolver::step(Vector &u) {
  if (report_.newton_steps > 0 && !op_.linear()) {
    linearise(u);
    solver_->update();
  }
  if (settings_.newton.check_jacobian) {
    const JacobianCheck check = check_jacobian(op_, u, solver_->kernels(), report_.newton_steps);
    report_.jacobian_check.insert(report_.jacobian_check.end(), check.differences.begin(),
                                  check.differences.end());
    if (!check.passed)
      return end(SolveStatus::wrong_jacobian,
                 fmt::format("smallest relative difference {:.3g}, allowed {:.3g}", check.best,
                             check.allowed)),
             false;
  }
  const SolveReport linear = solve_step(forcing());
  if (!linear.converged && !op_.linear())
    return end(linear.status, fmt::format("the linear system of step {}: {}",
                                          report_.newton_steps + 1, linear.reason)),
           false;
  ++report_.newton_steps;
  if (op_.linear()) {
    report_.residual = linear.residual;
    // Residual of the system for the step, from the state that it is for.
    const bool recomputed = linear.status != SolveStatus::interrupted && recompute_in_f64(u);
    solver_->kernels().combine(u, 1, u, -1, step_);
    if (linear.converged && recomputed && report_.residual > most_difference_of_f32 * tolerance_)
      return end(SolveStatus::stagnated,
                 fmt::format(
                     "f32 has it as {:.3g}, and has no more digits: set [device] precision = "
                     "\"f64\", or ask for a larger tolerance",
                     linear.residual)),
             false;
    return linear.converged || (end(linear.status, solver_->advice()), false);
  }
  previous_norm_ = norm_;
  const bool accepted = search_line(u);
  report_.residual = norm_ / report_.initial_residual;
  report_.history.push_back(report_.residual);
  if (!std::isfinite(norm_))
    return end(SolveStatus::not_finite), false;
  if (!accepted)
    return end(SolveStatus::line_search_failed), false;
  return true;
}

// Solves J step = F(u).
SolveReport NonlinearSolver::solve_step(double tolerance) {
  const double scale = norm_ / report_.initial_residual;
  const int before = report_.iterations;
  const SolveReport linear =
      solver_->solve_from_zero(residual_, step_, tolerance, [&](int iteration, double residual) {
        if (*progress_)
          (*progress_)(before + iteration, scale * residual);
      });
  report_.iterations += linear.iterations;
  if (op_.linear())
    report_.history = linear.history;
  return linear;
}

// How closely to solve the linear system.
double NonlinearSolver::forcing() const {
  if (op_.linear())
    return target_ / norm_;
  const double last = 0.5 * target_ / norm_; // enough to be done
  const double ratio = norm_ / previous_norm_;
  const double choice = report_.newton_steps == 0 ? first_forcing : 0.9 * ratio * ratio;
  return std::max(
      {std::min(choice, most_forcing), std::min(last, most_forcing), settings_.tolerance});
}

// Shortens the step of a nonlinear operator until |F| falls; false where it does not. norm_ and
// residual_ are those of the new u.
bool NonlinearSolver::search_line(Vector &u) {
  VectorKernels &kernels = solver_->kernels();
  if (!trial_.buffer)
    trial_ = kernels.vector("Newton trial state");
  double lambda = 1;
  while (lambda >= least_step) {
    kernels.combine(trial_, 1, u, -lambda, step_);
    evaluate(trial_);
    const double norm = kernels.norm(residual_);
    if (norm <= (1 - sufficient_decrease * lambda) * norm_) { // false for NaN
      kernels.copy(trial_, u);
      norm_ = norm;
      return true;
    }
    // The minimum of the parabola through |F|^2 at 0 and lambda with Newton's slope -2 |F|^2 at 0.
    const double growth = norm / norm_ * (norm / norm_);
    const double shortened = lambda * lambda / (growth - 1 + 2 * lambda);
    lambda =
        std::isfinite(growth) ? std::clamp(shortened, 0.1 * lambda, 0.5 * lambda) : 0.1 * lambda;
  }
  return false;
}

SolveReport solve_nonlinear(NonlinearOperator &op, Vector &u, const SolverSettings &settings,
                            const SolveProgress &progress) {
  return NonlinearSolver(op, settings).solve(u, progress);
}

} // namespace weft
