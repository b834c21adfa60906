#include "solve/linear/linear.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/error.h"
#include "base/timer.h"
#include "solve/krylov/largest_eigenvalue.h"
#include "solve/linear/make_krylov_method.h"
#include "solve/linear/make_preconditioner.h"
#include "solve/precondition/precond_chebyshev.h"
#include "solve/rounding.h"

namespace weft {

namespace {

KrylovKind chosen_method(const LinearOperator &op, const SolverSettings &settings) {
  const bool symmetric = op.symmetric() && settings.preconditioner != PrecondKind::adi;
  return settings.method.value_or(symmetric ? KrylovKind::cg : KrylovKind::gmres);
}

// Preconditioners that are as symmetric as the matrix they are made of are none for cg where that
// is not; alternating directions never are.
void refuse_cg_of_unsymmetric(const LinearOperator &op, const SolverSettings &settings) {
  static const std::map<PrecondKind, std::string> names = {
      {PrecondKind::ilu, "ilu"}, {PrecondKind::spai, "spai"}, {PrecondKind::adi, "adi"}};
  const auto name = names.find(settings.preconditioner);
  if (name == names.end() || chosen_method(op, settings) != KrylovKind::cg ||
      (op.symmetric() && name->first != PrecondKind::adi))
    return;
  throw Error(ErrorKind::input,
              {.what = "cg needs a symmetric preconditioner",
               .where = "[solver] method, preconditioner",
               .found = "the preconditioner " + name->second +
                        (op.symmetric() ? "" : " of a form that is not symmetric"),
               .allowed = "gmres, bicgstab",
               .remedy = "choose one of these methods, or another preconditioner"});
}

// The files of kernels/vector that a solve launches from.
std::set<std::string> kernel_parts(const LinearOperator &op, const SolverSettings &settings) {
  static const std::map<KrylovKind, std::string> methods = {
      {KrylovKind::cg, "cg"},
      {KrylovKind::bicgstab, "bicgstab"},
      {KrylovKind::gmres, "gmres"},
      {KrylovKind::defect_correction, "defect"}};
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

// Growth of iterations per decade with a set-up kept from an earlier operator, before a new one is
// made; what few iterations more than that cost is less than a set-up.
constexpr double most_growth = 2;
constexpr double few_iterations = 5;

// Relative residual above which it is not rounding that keeps a solution from being one.
constexpr double rounding_below = 1e-5;

// Seconds of a set-up after which threads of a CPU device may lie anywhere.
constexpr double long_setup = 5e-3;

// Residuals of norms between 2^-exponent and 2^exponent, whose squares and theirs are
// representable, are solved for as they are.
int exponent_in_range(Precision precision) {
  return precision == Precision::f64 ? 200 : 25;
}

// GMRES: cycles that reduce the residual less than that are made longer, where they may be: twice
// as long each time, up to eight times.
constexpr double slow_reduction = 0.5;
constexpr int most_enlargement = 8;
constexpr std::uint64_t memory_share = 4; // of the device: the vectors take one such part at most

int most_vectors(const SolverSettings &settings) {
  return settings.restart * (settings.may_enlarge_restart ? most_enlargement : 1);
}

// Of the diagonal, its largest entry over its smallest that is not 0.
constexpr double badly_scaled = 1e13;

double range_of_diagonal(LinearOperator &op) {
  Vector diagonal = make_vector(op.device(), op.size(), op.precision(), "diagonal");
  op.diagonal(diagonal);
  double least = std::numeric_limits<double>::infinity(), largest = 0;
  for (const double value : get_vector(op.device(), diagonal))
    if (value != 0 && std::isfinite(value)) {
      least = std::min(least, std::abs(value));
      largest = std::max(largest, std::abs(value));
    }
  Communicator *ranks = op.layout().among;
  largest = weft::largest(ranks, largest);
  least = smallest(ranks, least);
  return largest > 0 ? largest / least : 1;
}

// What a cycle must have brought for another one to be worth while. A cycle whose recurrence
// converged promised far more than a half; a cycle of GMRES that was cut short promised nothing.
double expected_reduction(SolveStatus status) {
  return status == SolveStatus::running ? 0.99 : 0.5;
}

} // namespace

LinearSolver::LinearSolver(LinearOperator &op, const SolverSettings &settings,
                           std::shared_ptr<Preconditioner> preconditioner)
    : op_(op), settings_(settings), kind_(chosen_method(op, settings)),
      most_restart_(most_vectors(settings)),
      kernels_(op.device(), op.precision(), op.layout(),
               std::max(most_vectors(settings), num_lanczos_steps) + 2, kernel_parts(op, settings)),
      precond_(std::move(preconditioner)), method_(make_krylov_method(kernels_, kind_, settings)),
      r_(kernels_.vector("residual")) {
  refuse_cg_of_unsymmetric(op, settings);
}

LinearSolver::LinearSolver(LinearOperator &op, const SolverSettings &settings)
    : LinearSolver(op, settings, nullptr) {
  precond_ = make_preconditioner(kernels_, settings);
  precond_->meanwhile([this] { load_kernels(); });
  update();
}

// What solve() launches beside the preconditioner's own.
void LinearSolver::load_kernels() {
  kernels_.load();
  op_.load_kernels();
}

void LinearSolver::precondition(const Vector &r, Vector &z) {
  if (!scratch_.buffer)
    scratch_ = kernels_.vector("scratch of a preconditioner");
  const Vector &result = precond_->apply(r, z, scratch_);
  if (&result != &z)
    op_.device().copy(result.buffer, z.buffer, z.size * size_bytes(z.precision));
}

void LinearSolver::update() {
  op_.device().finish(); // what made the operator is no part of the set-up
  const DeviceStage stage(op_.device(), "set-up of the preconditioner");
  const Timer timer;
  precond_->update(op_);
  if (precond_->keeps_setup())
    return;
  const double seconds = timer.seconds();
  setup_seconds_ += seconds;
  ++num_setups_;
  if (seconds > long_setup)
    threads_apart_ = op_.device().keep_threads_apart();
}

double LinearSolver::true_residual(const Vector &b, const Vector &x) {
  op_.apply(x, r_);
  kernels_.combine(r_, 1, b, -1, r_);
  return kernels_.norm(r_);
}

SolveReport LinearSolver::solve(const Vector &b, Vector &x, double tolerance,
                                const SolveProgress &progress) {
  return solve_scaled(b, x, tolerance, progress, true_residual(b, x));
}

SolveReport LinearSolver::solve_from_zero(const Vector &b, Vector &x, double tolerance,
                                          const SolveProgress &progress) {
  kernels_.zero(x);
  kernels_.copy(b, r_);
  return solve_scaled(b, x, tolerance, progress, kernels_.norm(r_));
}

SolveReport LinearSolver::solve_scaled(const Vector &b, Vector &x, double tolerance,
                                       const SolveProgress &progress, double norm) {
  const int most = exponent_in_range(op_.precision());
  if (norm == 0 || !std::isfinite(norm) || std::abs(std::ilogb(norm)) <= most)
    return solve_in_range(b, x, tolerance, progress, norm);
  const double scale = std::ldexp(1.0, -std::clamp(std::ilogb(norm), -1000, 1000));
  Vector scaled = kernels_.vector("scaled right-hand side");
  kernels_.combine(scaled, scale, b, 0, b);
  kernels_.combine(x, scale, x, 0, x);
  SolveReport report = solve_in_range(scaled, x, tolerance, progress, true_residual(scaled, x));
  kernels_.combine(x, 1 / scale, x, 0, x);
  report.initial_residual /= scale;
  return report;
}

SolveReport LinearSolver::solve_in_range(const Vector &b, Vector &x, double tolerance,
                                         const SolveProgress &progress, double norm) {
  SolveReport report;
  const bool kept = precond_->keeps_setup();
  iterate(b, x, tolerance, progress, norm, report,
          kept ? std::min(precond_->most_iterations_kept(), settings_.max_iterations)
               : settings_.max_iterations);
  if (report.converged) {
    judge_setup(report);
  } else if (kept && report.status != SolveStatus::interrupted) {
    forget_setup();
    update();
    iterate(b, x, tolerance, progress, true_residual(b, x), report, settings_.max_iterations);
  }
  return report;
}

// What to change where a solve stagnates; empty where the status says it all.
std::string LinearSolver::advice_on(SolveStatus status, double residual) const {
  const bool rounding = residual < (op_.precision() == Precision::f64 ? 1e-10 : 1e-3);
  const std::optional<Precision> low = precond_->low_precision();
  if (status == SolveStatus::stagnated && rounding)
    return op_.precision() == Precision::f64
               ? "f64 has no more digits: ask for a larger tolerance"
               : "more digits are not reachable in f32: set [device] precision = \"f64\", or ask "
                 "for a larger tolerance";
  const bool hopeless = status == SolveStatus::stagnated || status == SolveStatus::diverged ||
                        status == SolveStatus::indefinite || status == SolveStatus::max_iterations;
  if (!hopeless)
    return {};
  if (low && *low != Precision::f64)
    return fmt::format("{} may be too coarse for this matrix's condition number: set the precision "
                       "of the {} to \"{}\"",
                       to_string(*low),
                       settings_.preconditioner == PrecondKind::multigrid ||
                               settings_.preconditioner == PrecondKind::blocks
                           ? "preconditioner"
                           : "inner solver",
                       size_bytes(*low) == 2 ? "f32" : "f64");
  if (const double range = range_of_diagonal(op_); range > badly_scaled)
    return fmt::format("the diagonal of the matrix ranges over a factor of {:.0e}, more than f64 "
                       "bears: choose units in which fields and coefficients are nearer to each "
                       "other",
                       range);
  if (settings_.preconditioner == PrecondKind::direct)
    return "the matrix is singular";
  if (kind_ == KrylovKind::defect_correction)
    return "the inner solver of defect correction does not contract";
  if (status != SolveStatus::stagnated)
    return {};
  if (kind_ == KrylovKind::gmres && !settings_.may_enlarge_restart)
    return fmt::format("{} vectors are too few for gmres: leave `restart` out", settings_.restart);
  return "the matrix is singular, or near to it";
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

// Makes GMRES's cycles twice as long; false where they are as long as they may be.
bool LinearSolver::enlarge_restart() {
  const int restart = 2 * settings_.restart;
  const std::uint64_t bytes = std::uint64_t(restart) * size_bytes(op_.precision()) *
                              static_cast<std::uint64_t>(op_.size()) * (precond_->varies() ? 2 : 1);
  if (kind_ != KrylovKind::gmres || restart > most_restart_ ||
      bytes > op_.device().info().memory_bytes / memory_share)
    return false;
  settings_.restart = restart;
  method_ = make_krylov_method(kernels_, kind_, settings_);
  return true;
}

void LinearSolver::iterate(const Vector &b, Vector &x, double tolerance,
                           const SolveProgress &progress, double norm, SolveReport &report,
                           int iterations) {
  const DeviceStage stage(op_.device(), "iterations");
  if (report.history.empty()) {
    report.initial_residual = norm;
    report.residual = 1;
    report.history = {1};
  }
  const double first = report.initial_residual;
  const int most_iterations = report.iterations + iterations;
  const auto end = [&](SolveStatus status) {
    threads_apart_.reset();
    advice_ = advice_on(status, report.residual);
    finish_report(report, status,
                  fmt::format("{} iterations, relative residual {:.3g}, asked for {:.3g}{}{}",
                              report.iterations, report.residual, tolerance,
                              advice_.empty() ? "" : "; ", advice_));
  };
  if (!std::isfinite(norm))
    return end(SolveStatus::not_finite);
  if (norm == 0) {
    report.residual = 0;
    return end(SolveStatus::converged);
  }

  const auto on_iteration = [&](double now) {
    threads_apart_.reset(); // each has worked, and stays where it is unless something disturbs it
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
    if (norm > slow_reduction * before && cycle.status == SolveStatus::running && enlarge_restart())
      continue;
    if (norm > expected_reduction(cycle.status) * before) {
      // f64 has no more digits to offer; f32 has a remedy.
      report.to_rounding = op_.precision() == Precision::f64 && report.residual <= rounding_below &&
                           norm <= rounding_of_residual(op_, x);
      return end(report.to_rounding                       ? SolveStatus::converged
                 : cycle.status == SolveStatus::breakdown ? SolveStatus::breakdown
                                                          : SolveStatus::stagnated);
    }
  }
  return end(SolveStatus::converged);
}

SolveReport solve_linear(LinearOperator &op, const Vector &b, Vector &x,
                         const SolverSettings &settings, const SolveProgress &progress) {
  LinearSolver solver(op, settings);
  SolveReport report = solver.solve(b, x, settings.tolerance, progress);
  report.num_setups = solver.num_setups();
  report.setup_seconds = solver.setup_seconds();
  describe_preconditioner(report, solver.preconditioner());
  return report;
}

} // namespace weft
