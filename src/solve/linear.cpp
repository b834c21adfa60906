#include "solve/linear.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/timer.h"
#include "solve/precond_chebyshev.h"

namespace weft {

namespace {

KrylovKind chosen_method(const LinearOperator &op, const SolverSettings &settings) {
  return settings.method.value_or(op.symmetric() ? KrylovKind::cg : KrylovKind::gmres);
}

// The files of kernels/vector that a solve launches from.
std::set<std::string> kernel_parts(const LinearOperator &op, const SolverSettings &settings) {
  static const std::map<KrylovKind, std::string> methods = {
      {KrylovKind::cg, "cg"}, {KrylovKind::bicgstab, "bicgstab"}, {KrylovKind::gmres, "gmres"}};
  std::set<std::string> parts = {methods.at(chosen_method(op, settings))};
  if (settings.preconditioner == PrecondKind::jacobi ||
      settings.preconditioner == PrecondKind::chebyshev)
    parts.insert("jacobi");
  if (settings.preconditioner == PrecondKind::chebyshev) {
    parts.insert("chebyshev");
    parts.insert(op.symmetric() ? "cg" : "gmres"); // to estimate the largest eigenvalue
  }
  return parts;
}

// Of iterations per decade with a set-up kept from an earlier operator, before a new one is made;
// what few iterations more than that cost is less than a set-up.
constexpr double most_growth = 2;
constexpr double few_iterations = 5;

// What a cycle must have brought for another one to be worth while. A cycle whose recurrence
// converged promised far more than a half; a cycle of GMRES that was cut short promised nothing.
double expected_reduction(SolveStatus status) {
  return status == SolveStatus::running ? 0.99 : 0.5;
}

} // namespace

LinearSolver::LinearSolver(LinearOperator &op, const SolverSettings &settings)
    : op_(op), settings_(settings), kind_(chosen_method(op, settings)),
      kernels_(op.device(), op.precision(), op.size(),
               std::max(settings.restart, num_lanczos_steps) + 2, kernel_parts(op, settings)),
      precond_(make_preconditioner(kernels_, settings)),
      method_(make_krylov_method(kernels_, kind_, settings.restart)),
      r_(kernels_.vector("residual")) {
  update();
}

void LinearSolver::update() {
  const Timer timer;
  precond_->update(op_);
  if (!precond_->keeps_setup()) {
    setup_seconds_ += timer.seconds();
    ++num_setups_;
  }
}

double LinearSolver::true_residual(const Vector &b, const Vector &x) {
  op_.apply(x, r_);
  kernels_.combine(r_, 1, b, -1, r_);
  return kernels_.norm(r_);
}

SolveReport LinearSolver::solve(const Vector &b, Vector &x, double tolerance,
                                const SolveProgress &progress) {
  SolveReport report;
  iterate(b, x, tolerance, progress, report);
  if (report.converged) {
    judge_setup(report);
  } else if (precond_->keeps_setup()) {
    forget_setup();
    update();
    iterate(b, x, tolerance, progress, report);
  }
  return report;
}

// Iterations per decade of the residual, compared with those when the set-up was new.
void LinearSolver::judge_setup(const SolveReport &report) {
  if (report.iterations == 0)
    return;
  const double decades = -std::log10(report.residual);
  if (!precond_->keeps_setup())
    cost_when_new_ = report.iterations / decades;
  else if (report.iterations > most_growth * cost_when_new_ * decades + few_iterations)
    forget_setup();
}

void LinearSolver::iterate(const Vector &b, Vector &x, double tolerance,
                           const SolveProgress &progress, SolveReport &report) {
  double norm = true_residual(b, x);
  if (report.history.empty()) {
    report.initial_residual = norm;
    report.residual = 1;
    report.history = {1};
  }
  const double first = report.initial_residual;
  const int most_iterations = report.iterations + settings_.max_iterations;
  const auto end = [&](SolveStatus status) {
    finish_report(report, status,
                  fmt::format("{} iterations, relative residual {:.3g}, asked for {:.3g}",
                              report.iterations, report.residual, tolerance));
  };
  if (!std::isfinite(norm))
    return end(SolveStatus::not_finite);
  if (norm == 0) {
    report.residual = 0;
    return end(SolveStatus::converged);
  }

  const auto on_iteration = [&](double now) {
    report.history.push_back(now / first);
    if (progress)
      progress(int(report.history.size()) - 1, now / first);
  };
  const double target = tolerance * first;
  while (norm > target) {
    const double before = norm;
    const CycleResult cycle = method_->run(op_, *precond_, x, r_,
                                           {.residual_norm = before,
                                            .target_norm = target,
                                            .max_iterations = most_iterations - report.iterations,
                                            .on_iteration = on_iteration});
    report.iterations += cycle.iterations;
    norm = true_residual(b, x);
    report.residual = norm / first;
    if (!std::isfinite(norm))
      return end(SolveStatus::not_finite);
    if (norm <= target)
      break;
    if (norm > divergence_factor * first)
      return end(SolveStatus::diverged);
    const bool may_go_on = cycle.status == SolveStatus::running ||
                           cycle.status == SolveStatus::converged ||
                           cycle.status == SolveStatus::breakdown;
    if (!may_go_on)
      return end(cycle.status);
    if (report.iterations >= most_iterations)
      return end(SolveStatus::max_iterations);
    if (norm > expected_reduction(cycle.status) * before)
      return end(cycle.status == SolveStatus::breakdown ? SolveStatus::breakdown
                                                        : SolveStatus::stagnated);
  }
  return end(SolveStatus::converged);
}

SolveReport solve_linear(LinearOperator &op, const Vector &b, Vector &x,
                         const SolverSettings &settings, const SolveProgress &progress) {
  LinearSolver solver(op, settings);
  SolveReport report = solver.solve(b, x, settings.tolerance, progress);
  report.num_setups = solver.num_setups();
  report.setup_seconds = solver.setup_seconds();
  return report;
}

} // namespace weft
