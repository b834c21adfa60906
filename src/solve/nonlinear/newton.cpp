#include "solve/nonlinear/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Core>
#include <fmt/format.h>

#include "base/timer.h"
#include "ranks/interruption.h"
#include "ranks/norm_of_ranks.h"
#include "solve/nonlinear/energy_test.h"
#include "solve/nonlinear/field_norms.h"
#include "solve/rounding.h"

namespace weft {

namespace {

constexpr int most_solves_of_fields = 3; // beside that of all together
constexpr double first_forcing = 1e-2;   // relative tolerance of the first step's linear system
constexpr double most_forcing = 0.1;
constexpr double least_factor = 1e-6; // of a Newton step
// The same where an energy tells how far to go, though the Jacobian nearly vanishes, and how much
// shorter each trial is then.
constexpr double least_energy_factor = 1e-16, energy_cut = 0.1;
constexpr double sufficient_decrease = 1e-4;
constexpr double simplified_tolerance = 1e-2; // of steps that only judge others, relative
// Of the residual before: a step that reduces it so far has hardly changed the Jacobian.
constexpr double near_solution = 1e-2;
// Of the first residual: from there on rounding may be what is left.
constexpr double near_rounding = 1e-6;
// Of the first residual: where Newton's method has not come nearer.
constexpr double wandering = 0.1;
// Steps that may change what is held at bounds, for each that may not.
constexpr int most_changes = 20;
// Iterations of a linear system after which a direct solver, where it may, takes the place of an
// iterative one.
constexpr int patience = 500;
// Of the first residual: slender bodies let it rise a thousandfold before it falls; where it rises
// beyond this, energies have no minimum and steps lead to nothing.
constexpr double most_growth = 1e8;
constexpr double step_of_rounding = 1e-9; // of a Newton step: where it may be nothing else
// Ratio of a residual in f64 to what f32 has it as, for that to be believed.
constexpr double most_difference_of_f32 = 2;

} // namespace

NonlinearSolver::NonlinearSolver(NonlinearOperator &op, const SolverSettings &settings)
    : op_(op), settings_(settings),
      tolerance_(op.linear() ? settings.tolerance : settings.newton.tolerance),
      damping_(settings.fields, op.layout().among) {}

SolveReport NonlinearSolver::end(SolveStatus status, const std::string &detail) {
  const std::string summary =
      fmt::format("{}{} iterations, relative residual {:.3g}, asked for {:.3g}{}",
                  op_.linear() ? "" : fmt::format("{} Newton steps, ", report_.newton_steps),
                  report_.iterations, report_.residual, tolerance_,
                  report_.to_rounding ? "; that is rounding, f64 has no more digits" : "");
  report_.num_setups = solver_->num_setups() - num_setups_before_;
  report_.setup_seconds = solver_->setup_seconds() - setup_seconds_before_;
  describe_preconditioner(report_, solver_->preconditioner());
  if (active_set_)
    active_set_->release();
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

// Of an operator with bounds at a state whose residual is residual_. Assembly is waited for, so
// that neither set-up nor solve is charged with it.
void NonlinearSolver::linearise(const Vector &u) {
  const DeviceStage stage(op_.device(), "linearisation");
  const Timer timer;
  set_changed_ = active_set_ && active_set_->hold(u, residual_);
  if (set_changed_)
    forget_setup(); // of another set of unknowns
  op_.linearise(u);
  op_.device().finish();
  report_.assembly_seconds += timer.seconds();
}

void NonlinearSolver::evaluate(const Vector &u, Vector &residual) {
  const DeviceStage stage(op_.device(), "residual");
  const Timer timer;
  op_.residual(u, residual);
  if (active_set_)
    active_set_->restrict_residual(u, residual);
  op_.device().finish();
  report_.assembly_seconds += timer.seconds();
}

// Sets prescribed values, linearises, and makes or updates the linear solver.
void NonlinearSolver::start(Vector &u) {
  op_.set_constrained(u);
  if (!op_.bounds().empty())
    begin_between_bounds(u);
  linearise(u); // the solver's preconditioner looks at the operator
  if (solver_) {
    solver_->update();
    return;
  }
  make_solver();
  if (!residual_.buffer)
    residual_ = solver_->kernels().vector("nonlinear residual");
  step_ = solver_->kernels().vector("Newton step");
}

// The unknowns that are held at first follow from the residual.
void NonlinearSolver::begin_between_bounds(Vector &u) {
  if (active_set_)
    active_set_->take_bounds();
  else
    active_set_.emplace(op_);
  active_set_->project(u);
  if (!residual_.buffer)
    residual_ = make_vector(op_.device(), op_.layout(), op_.precision(), "nonlinear residual");
  evaluate(u, residual_);
}

SolveReport NonlinearSolver::solve(Vector &u, const SolveProgress &progress,
                                   const NewtonGoal &goal) {
  progress_ = &progress;
  report_ = {};
  num_settled_steps_ = 0;
  report_.remark = remark_;
  num_setups_before_ = solver_ ? solver_->num_setups() : 0;
  setup_seconds_before_ = solver_ ? solver_->setup_seconds() : 0;
  start(u);
  evaluate(u, residual_);
  norm_ = previous_norm_ = solver_->kernels().norm(residual_);
  report_.initial_residual = std::max(norm_, goal.reference);
  if (!std::isfinite(norm_))
    return end(SolveStatus::not_finite);
  report_.residual = norm_ == 0 ? 0 : norm_ / report_.initial_residual;
  report_.history = {norm_ == 0 ? 1 : report_.residual};
  if (norm_ == 0)
    return end(SolveStatus::converged);
  target_ =
      std::max({tolerance_ * report_.initial_residual, goal.absolute, settings_.newton.absolute});
  damping_.take_unjudged();
  watchdog_.reset();
  largest_norms_.clear();
  note_residuals();
  every_field_ = goal.every_field && op_.linear() && settings_.fields.size() > 1;
  while (norm_ > target_ || !fields_converged() || every_field_) {
    if (!op_.linear() && within_rounding(u))
      break;
    if (has_taken_all_steps())
      return end(SolveStatus::max_iterations,
                 norm_ > wandering * report_.initial_residual
                     ? "Newton's method wanders: there may be no solution near the state that it "
                       "begins at"
                     : "");
    if (interrupted(solver_->kernels().among()))
      return end(SolveStatus::interrupted);
    if (!step(u))
      return report_;
    if (op_.linear()) // solve_step() has checked F(u) = A step - F(u0) from the step itself
      break;
  }
  op_.set_constrained(u); // unknowns that follow others are not in the last step
  if (!op_.linear())
    recompute_in_f64(u);
  return end(SolveStatus::converged);
}

// Steps that change what is held at bounds come as many as layers of cells leave them.
bool NonlinearSolver::has_taken_all_steps() const {
  return num_settled_steps_ >= settings_.newton.max_iterations ||
         report_.newton_steps / most_changes >= settings_.newton.max_iterations;
}

// Takes the residual's norms field by field, where there are several.
void NonlinearSolver::note_residuals() {
  if (settings_.fields.size() < 2 || op_.linear())
    return;
  field_norms_ =
      field_norms(get_vector(op_.device(), residual_), settings_.fields, op_.layout().among);
  if (largest_norms_.empty())
    largest_norms_ = field_norms_;
  for (std::size_t f = 0; f < field_norms_.size(); ++f)
    largest_norms_[f] = std::max(largest_norms_[f], field_norms_[f]);
}

bool NonlinearSolver::fields_converged() const {
  for (std::size_t f = 0; f < largest_norms_.size(); ++f)
    if (field_norms_[f] > std::max(tolerance_ * largest_norms_[f], target_ - norm_))
      return false;
  return true;
}

// The residual is what rounding of its terms leaves, at the state last linearised at or after.
bool NonlinearSolver::within_rounding(const Vector &u) {
  const bool small_step = !report_.newton.empty() && report_.newton.back().factor == 1 &&
                          report_.newton.back().step_norm <= step_of_rounding;
  const bool small_residual = norm_ <= near_rounding * report_.initial_residual;
  if (!(small_residual || small_step) || op_.precision() != Precision::f64)
    return false;
  Vector prescribed = solver_->kernels().vector("prescribed values");
  solver_->kernels().zero(prescribed);
  op_.set_constrained(prescribed);
  solver_->kernels().combine(prescribed, 1, u, -1, prescribed);
  report_.to_rounding = norm_ <= rounding_of_residual(op_, prescribed);
  return report_.to_rounding;
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
  Vector state = make_vector(device, op_.layout(), Precision::f64, "state in f64");
  Vector result = make_vector(device, op_.layout(), Precision::f64, "residual in f64");
  set_vector(device, state, get_vector(device, u));
  exact->set_constrained(state); // which f32 has rounded
  exact->residual(state, result);
  std::vector<double> values = get_vector(device, result);
  if (active_set_)
    active_set_->restrict_on_host(u, values);
  const auto norm = [&] {
    return norm_of_ranks(
        op_.layout().among,
        Eigen::Map<const Eigen::VectorXd>(values.data(), Eigen::Index(values.size())).stableNorm());
  };
  double first = report_.initial_residual;
  if (op_.linear()) {
    first = std::max(norm(), report_.initial_residual);
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
    // Factors of a Jacobian that has changed much take more iterations than new ones cost.
    if (settings_.preconditioner == PrecondKind::direct && norm_ > near_solution * previous_norm_)
      solver_->forget_setup();
    solver_->update();
  }
  if (settings_.newton.check_jacobian) {
    const JacobianCheck check = this->check(u);
    report_.jacobian_check.insert(report_.jacobian_check.end(), check.differences.begin(),
                                  check.differences.end());
    if (!check.passed)
      return end(SolveStatus::wrong_jacobian,
                 fmt::format("smallest relative difference {:.3g}, allowed {:.3g}", check.best,
                             check.allowed)),
             false;
  }
  Communicator *ranks = solver_->kernels().among();
  const double tolerance = forcing();
  const int iterations_before = report_.iterations;
  SolveReport linear = solve_one_way_or_another(residual_, step_, tolerance);
  if (every_field_ && !linear.converged && linear.residual * norm_ <= target_) // more than is asked
    finish_report(linear, SolveStatus::converged);
  if (!linear.converged && watchdog_.watches() && !interrupted(ranks)) {
    report_.newton.push_back({.iterations = report_.iterations - iterations_before});
    ++report_.newton_steps;
    ++num_settled_steps_;
    take_back(u);
    return true;
  }
  if (!linear.converged && !op_.linear())
    return end(linear.status, fmt::format("the linear system of step {}: {}",
                                          report_.newton_steps + 1, linear.reason)),
           false;
  ++report_.newton_steps;
  num_settled_steps_ += set_changed_ ? 0 : 1;
  if (every_field_ && linear.converged)
    solve_every_field();
  if (op_.linear()) {
    report_.residual = linear.residual * (norm_ / report_.initial_residual);
    report_.to_rounding = linear.to_rounding;
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
  const bool accepted = damp(u, tolerance);
  report_.residual = norm_ / report_.initial_residual;
  report_.history.push_back(report_.residual);
  report_.newton.back().residual = report_.residual;
  report_.newton.back().iterations = report_.iterations - iterations_before;
  if (accepted)
    return true;
  return end(interrupted(ranks) ? SolveStatus::interrupted : SolveStatus::no_step_accepted), false;
}

// The whole Jacobian is what is checked.
JacobianCheck NonlinearSolver::check(const Vector &u) {
  if (active_set_) {
    active_set_->release();
    op_.linearise(u);
  }
  JacobianCheck check = check_jacobian(op_, u, solver_->kernels(), report_.newton_steps);
  if (active_set_) {
    active_set_->hold_again();
    op_.linearise(u);
  }
  return check;
}

// Solves J step = residual.
SolveReport NonlinearSolver::solve_step(const Vector &residual, Vector &step, double tolerance) {
  const double scale = norm_ / report_.initial_residual;
  const int before = report_.iterations;
  const SolveReport linear =
      solver_->solve_from_zero(residual, step, tolerance, [&](int iteration, double relative) {
        if (*progress_)
          (*progress_)(before + iteration, scale * relative);
      });
  report_.iterations += linear.iterations;
  if (active_set_)
    active_set_->keep_held(step);
  if (op_.linear()) {
    report_.history = linear.history;
    for (double &relative : report_.history)
      relative *= scale;
  }
  return linear;
}

void NonlinearSolver::make_solver() {
  SolverSettings settings = settings_;
  if (settings_.may_eliminate && op_.precision() == Precision::f64)
    settings.max_iterations = std::min(settings.max_iterations, patience);
  const int setups = solver_ ? solver_->num_setups() : 0;
  const double seconds = solver_ ? solver_->setup_seconds() : 0;
  solver_.reset(); // its memory serves the next one
  solver_.emplace(op_, settings);
  num_setups_before_ -= setups;
  setup_seconds_before_ -= seconds;
}

// The same, by what else there is where the solver was not asked for by name: where CG meets a
// direction in which J is not positive GMRES takes its place, and where that does not converge, or
// takes long, a direct solver, as long as it may; for good.
SolveReport NonlinearSolver::solve_one_way_or_another(const Vector &residual, Vector &step,
                                                      double tolerance) {
  SolveReport linear = solve_step(residual, step, tolerance);
  if (linear.status == SolveStatus::indefinite && settings_.may_change_method) {
    settings_.may_change_method = false;
    settings_.method = KrylovKind::gmres;
    report_.remark = remark_ =
        "the matrix is symmetric but not positive definite: gmres took the place of cg";
    make_solver();
    linear = solve_step(residual, step, tolerance);
  }
  const bool may_go_on =
      linear.status == SolveStatus::max_iterations || linear.status == SolveStatus::stagnated ||
      linear.status == SolveStatus::breakdown || linear.status == SolveStatus::diverged ||
      linear.status == SolveStatus::indefinite;
  // In f32 it is the precision that ends most, which nothing else mends.
  if (linear.converged || !may_go_on || !settings_.may_eliminate ||
      op_.precision() != Precision::f64)
    return linear;
  const bool eliminates = settings_.may_eliminate();
  settings_.may_eliminate = nullptr;
  if (eliminates) {
    report_.remark = remark_ =
        fmt::format("a direct solver took the place of one that did not converge in {} "
                    "iterations",
                    linear.iterations);
    settings_.method = KrylovKind::gmres;
    settings_.preconditioner = PrecondKind::direct;
  } else if (linear.status != SolveStatus::max_iterations) {
    return linear;
  }
  make_solver();
  return solve_step(residual, step, tolerance);
}

// Goes on from a step that solves for all fields together, where one of small numbers is not
// solved for. What is left is computed from the step, so that each solve is relative to it.
void NonlinearSolver::solve_every_field() {
  VectorKernels &kernels = solver_->kernels();
  if (!trial_residual_.buffer) {
    trial_residual_ = kernels.vector("residual of fields");
    simplified_step_ = kernels.vector("correction of fields");
  }
  const auto norms_of = [&](const Vector &v) {
    return field_norms(get_vector(op_.device(), v), settings_.fields, op_.layout().among);
  };
  const std::vector<double> first = norms_of(residual_);
  for (int solve = 0; solve < most_solves_of_fields; ++solve) {
    op_.apply(step_, trial_residual_);
    kernels.combine(trial_residual_, 1, residual_, -1, trial_residual_);
    const std::vector<double> left = norms_of(trial_residual_);
    bool small = true;
    for (std::size_t f = 0; f < left.size(); ++f)
      small = small && left[f] <= tolerance_ * first[f];
    if (small)
      return;
    const SolveReport report =
        solver_->solve_from_zero(trial_residual_, simplified_step_, tolerance_);
    report_.iterations += report.iterations;
    if (!report.converged)
      return;
    kernels.combine(step_, 1, step_, 1, simplified_step_);
  }
}

// How closely to solve the linear system.
double NonlinearSolver::forcing() const {
  if (every_field_)
    return std::min(target_ / norm_, tolerance_);
  if (op_.linear())
    return target_ / norm_;
  const double last = 0.5 * target_ / norm_; // enough to be done
  if (norm_ <= target_)                      // a field of small numbers is what is left
    return settings_.tolerance;
  const double ratio = norm_ / previous_norm_;
  const double choice = report_.newton_steps == 0 ? first_forcing : 0.9 * ratio * ratio;
  return std::max(
      {std::min(choice, most_forcing), std::min(last, most_forcing), settings_.tolerance});
}

bool NonlinearSolver::may_ask(const Vector &u) const {
  return !settings_.newton.valid || !any(op_.layout().among, !settings_.newton.valid(op_.dofs(u)));
}

// The norm of F(u), into `residual`; NaN where F is not to be asked for, or beyond all bounds.
double NonlinearSolver::try_state(const Vector &u, Vector &residual) {
  if (!may_ask(u))
    return std::numeric_limits<double>::quiet_NaN();
  evaluate(u, residual);
  const double norm = solver_->kernels().norm(residual);
  return norm <= most_growth * report_.initial_residual ? norm
                                                        : std::numeric_limits<double>::quiet_NaN();
}

// Of the step to the trial state.
bool NonlinearSolver::lowers_energy(const Vector &u, double factor) {
  if (!op_.symmetric())
    return false;
  if (!half_way_.buffer) {
    half_way_ = solver_->kernels().vector("state half way");
    half_way_residual_ = solver_->kernels().vector("residual half way");
  }
  if (active_set_)
    return lowers_energy_between_bounds(u);
  const Timer timer;
  const bool falls = energy_falls(
      op_, solver_->kernels(),
      {.u = u, .step = step_, .factor = factor, .residual = residual_, .after = trial_residual_},
      half_way_, half_way_residual_);
  report_.assembly_seconds += timer.seconds();
  return falls;
}

// Projected onto the bounds steps are not along a line: the energy is looked at along the way to
// the trial state, with the residual of all unknowns.
bool NonlinearSolver::lowers_energy_between_bounds(const Vector &u) {
  VectorKernels &kernels = solver_->kernels();
  if (!way_.buffer) {
    way_ = kernels.vector("way to the trial state");
    energy_residual_ = kernels.vector("residual with that of held unknowns");
  }
  const Timer timer;
  kernels.combine(way_, 1, u, -1, trial_);
  op_.residual(trial_, energy_residual_);
  const bool falls = energy_falls(
      op_, kernels,
      {.u = u, .step = way_, .factor = 1, .residual = residual_, .after = energy_residual_},
      half_way_, half_way_residual_);
  report_.assembly_seconds += timer.seconds();
  return falls;
}

// Goes back to where the watchdog was set.
void NonlinearSolver::take_back(Vector &u) {
  for (int i = 0; i <= watchdog_.num_steps() && i < static_cast<int>(report_.newton.size()); ++i)
    report_.newton[report_.newton.size() - 1 - i].taken_back = true;
  norm_ = watchdog_.take_back(u, solver_->kernels());
  evaluate(u, residual_);
  note_residuals();
  damping_.take_unjudged();
}

// Takes as much of the step of a nonlinear operator as may be; false where nothing may. norm_ and
// residual_ are those of the new u.
bool NonlinearSolver::damp(Vector &u, double tolerance) {
  VectorKernels &kernels = solver_->kernels();
  if (!trial_.buffer) {
    trial_ = kernels.vector("Newton trial state");
    trial_residual_ = kernels.vector("residual of the trial state");
    simplified_step_ = kernels.vector("simplified Newton step");
  }
  double factor = damping_.start(get_vector(op_.device(), u), get_vector(op_.device(), step_));
  report_.newton.push_back({.step_norm = damping_.step_norm()});
  const double least = op_.symmetric() ? least_energy_factor : least_factor;
  while (factor >= least && !interrupted(kernels.among())) {
    report_.newton.back().factor = factor;
    kernels.combine(trial_, 1, u, -factor, step_);
    if (active_set_)
      active_set_->project(trial_);
    const double norm = try_state(trial_, trial_residual_);
    NaturalDamping::Verdict verdict;
    if (std::isfinite(norm) && (norm <= (1 - sufficient_decrease * factor) * norm_ ||
                                (factor == 1 && watchdog_.allows(norm_, norm)))) {
      verdict.accepted = true;
      damping_.take_unjudged();
      watchdog_.take(u, norm_, norm, kernels);
    } else if (watchdog_.watches()) {
      take_back(u);
      return true;
    } else if (!std::isfinite(norm)) {
      verdict.next = 0.5 * factor;
    } else if (lowers_energy(u, factor)) {
      verdict.accepted = true;
      damping_.take_unjudged();
    } else if (factor < least_factor) {
      verdict.next = energy_cut * factor;
    } else {
      const SolveReport judging =
          solve_step(trial_residual_, simplified_step_, std::max(tolerance, simplified_tolerance));
      if (!judging.converged)
        return false;
      verdict = damping_.judge(factor, get_vector(op_.device(), simplified_step_));
    }
    if (verdict.accepted) {
      kernels.copy(trial_, u);
      std::swap(residual_, trial_residual_);
      norm_ = norm;
      note_residuals();
      return true;
    }
    factor = verdict.next;
  }
  return false;
}

SolveReport solve_nonlinear(NonlinearOperator &op, Vector &u, const SolverSettings &settings,
                            const SolveProgress &progress) {
  return NonlinearSolver(op, settings).solve(u, progress);
}

} // namespace weft
