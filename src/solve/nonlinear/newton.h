// Nonlinear systems F(u) = 0: damped Newton's method.
#pragma once

#include <optional>
#include <string>

#include "linalg/operator.h"
#include "solve/linear/linear.h"
#include "solve/nonlinear/active_set.h"
#include "solve/nonlinear/jacobian_check.h"
#include "solve/nonlinear/natural_damping.h"
#include "solve/nonlinear/watchdog.h"
#include "solve/report.h"
#include "solve/settings.h"

namespace weft {

// What a solve is to reach beside its tolerance.
struct NewtonGoal {
  double absolute = 0; // norm of F that is small enough
  // Norm of F that the tolerance is relative to, where it is larger than the first: of a solve that
  // begins near its solution.
  double reference = 0;
  // Of a linear operator on several fields: each field's residual falls by the tolerance from its
  // first one, however small beside the others'.
  bool every_field = false;
};

// Keeps the linear solver, and with it the set-up of its preconditioner, from one solve to the next
// (of the next time step, say).
class NonlinearSolver {
public:
  // The operator must outlive the solver.
  NonlinearSolver(NonlinearOperator &op, const SolverSettings &settings);

  // Solves F(u) = 0 from the u given, whose prescribed values are set first.
  //
  // A linear operator is solved to settings.tolerance for the increment: |F(u) - A step| is
  // computed from the step, which is far smaller than u where u has an offset (293 K). A nonlinear
  // one is iterated to settings.newton.tolerance: each step is solved as closely as it pays
  // (Eisenstat and Walker 1996, choice 2, DOI 10.1137/0917003; never closer than
  // settings.tolerance) and taken whole where that reduces |F|, within a few steps at least
  // (Watchdog); where these lead nowhere it is damped, until |F| falls, or the energy whose
  // derivative F is, where there is one (energy_falls()), or the natural monotonicity test is
  // passed (NaturalDamping). Where F is not finite, or not to be asked for (settings.newton.valid),
  // the step is halved. Each field's residual has to fall by the tolerance from the largest that it
  // was; one within rounding of its terms is small enough, and so is one of norm goal.absolute, or
  // settings.newton.absolute.
  // Where the operator has bounds the inequality is solved, see ActiveSet: F is that of the free
  // unknowns, and each state is between the bounds. What goes wrong is in the report, never an
  // exception; u is then the last accepted state. The residual reported of an operator in f32 is
  // computed anew in f64 in the end, where the device and the operator have that and
  // settings.final_residual_in_f64.
  SolveReport solve(Vector &u, const SolveProgress &progress = {}, const NewtonGoal &goal = {});

  // Gives up a set-up of the preconditioner that was kept from earlier solves, so that the next one
  // does not depend on them.
  void forget_setup();
  // Whether there is one that the next solve takes over.
  bool holds_setup() const;

private:
  SolveReport end(SolveStatus status, const std::string &detail = {});
  void start(Vector &u);
  void make_solver(); // anew, by the settings
  void linearise(const Vector &u);
  void begin_between_bounds(Vector &u);
  JacobianCheck check(const Vector &u);
  void evaluate(const Vector &u, Vector &residual);
  bool step(Vector &u); // false: the report is finished
  SolveReport solve_step(const Vector &residual, Vector &step, double tolerance);
  SolveReport solve_one_way_or_another(const Vector &residual, Vector &step, double tolerance);
  double forcing() const;
  void solve_every_field();
  bool damp(Vector &u, double tolerance);
  bool lowers_energy(const Vector &u, double factor);
  bool lowers_energy_between_bounds(const Vector &u);
  double try_state(const Vector &u, Vector &residual);
  void take_back(Vector &u);
  bool may_ask(const Vector &u) const;
  void note_residuals();
  bool fields_converged() const;
  bool has_taken_all_steps() const;
  bool within_rounding(const Vector &u);
  bool recompute_in_f64(const Vector &u);

  NonlinearOperator &op_;
  SolverSettings settings_;
  double tolerance_;
  std::optional<LinearSolver> solver_; // from the first solve on
  Vector residual_, step_;
  bool every_field_ = false; // see NewtonGoal
  // Of a nonlinear operator, or of every field.
  Vector trial_, trial_residual_, simplified_step_, half_way_, half_way_residual_;
  // Of an operator with bounds only.
  std::optional<ActiveSet> active_set_;
  Vector way_, energy_residual_;
  bool set_changed_ = false;
  int num_settled_steps_ = 0; // with the unknowns held that were in the step before
  NaturalDamping damping_;
  Watchdog watchdog_;
  // State of the solve under way.
  const SolveProgress *progress_ = nullptr;
  double norm_ = 0, previous_norm_ = 0;
  double target_ = 0;                               // norm to reach
  std::vector<double> field_norms_, largest_norms_; // [field]: of the residual, of several fields
  int num_setups_before_ = 0;
  double setup_seconds_before_ = 0;
  std::string remark_; // of all solves: what took the place of what was asked for
  SolveReport report_;
};

// Solves F(u) = 0 once.
SolveReport solve_nonlinear(NonlinearOperator &op, Vector &u, const SolverSettings &settings,
                            const SolveProgress &progress = {});

} // namespace weft
