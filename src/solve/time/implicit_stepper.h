// Implicit time stepping: each step solves F(t, u, dt(u)) = 0 for the next state. What the schemes
// have in common.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linalg/operator.h"
#include "solve/nonlinear/newton.h"
#include "solve/time/step_control.h"
#include "solve/time/stepper.h"

namespace weft {

// States that a stepper looks back on: two to extrapolate, three for an estimate of the error.
constexpr std::size_t most_states_kept = 3;
// Time derivatives that a scheme carries from step to step: dt(u), dt(dt(u)).
std::size_t rates_kept(TimeScheme scheme);

// What is stepped, and how it depends on time.
struct SteppedSystem {
  NonlinearOperator &op; // must outlive the stepper
  // Moves the operator to a time: what depends on it is taken anew.
  std::function<void(double time)> move_to;
  std::vector<std::int64_t> field_offset;    // first entry of each field in vectors
  std::vector<std::int64_t> num_absent = {}; // [field]: entries that are no unknowns; empty: none
  std::vector<int> time_orders;              // [field]: of its highest time derivative
  bool prescribed_values_move = false;       // they depend on time
  std::vector<double> initial_rate;          // [dof], as states; empty: 0
  // G(time, u) of terms that are taken explicitly: F(t, u, dt(u)) + G(t, u) = 0 is solved. Zero is
  // not asked of rows of prescribed values. Empty: no such terms.
  std::function<void(double time, const Vector &u, Vector &g)> explicit_terms = {};
};

// Fixed steps: what lies between two stops is divided evenly. Adaptive steps: the local error of a
// step is estimated, as said by the schemes, measured as largest_share() does, and the step follows
// control_step(). The very first step has no estimate: it is a thousandth of `step`.
class ImplicitStepper : public Stepper {
public:
  // start() or resume() comes next.
  ImplicitStepper(SteppedSystem system, const SolverSettings &solver, const TimeSettings &settings,
                  std::size_t states_kept);

  // Sets the prescribed values in the state.
  void start(const std::vector<double> &state) override;
  void resume(const TimeState &state) override;
  // Not converged where the step's system is not solved (adaptive: at the smallest step), or steps
  // have become too short (step_lost).
  SolveReport step(const SolveProgress &progress = {}) override;

  TimeState state() const override;
  std::vector<double> solution() const override;
  std::vector<std::vector<double>> rates() const override;
  void forget_setup() override { solver_.forget_setup(); }
  bool holds_setup() const override { return solver_.holds_setup(); }

protected:
  // Solves for the state at the end of the step, which comes into next_ with prescribed values set.
  virtual SolveReport solve(const StepAttempt &attempt, const SolveProgress &progress) = 0;
  // Of the scheme in the next step.
  virtual int order() const = 0;
  // What the error of the step is a multiple of, h^(n-1) d^n u/dt^n / n! for n = order() + 1, so
  // that the default of error_of_step() can take it from divided differences: this multiple.
  virtual double error_factor(const StepAttempt &attempt, std::size_t differences) const = 0;
  // Puts the error of next_ into `error`; false: not known.
  virtual bool error_of_step(const StepAttempt &attempt, Vector &error);
  // Takes what a scheme keeps beside states into the time at the end of the step.
  virtual void take_over(const StepAttempt & /*attempt*/) {}

  void predict(const StepAttempt &attempt, const Vector &begin, Vector &u);
  // Solves for `u`, for one system of the step, with `load_` where there are explicit terms.
  SolveReport solve_system(Vector &u, const SolveProgress &progress);
  // Adds up what the systems of a step took.
  static void add_work(const SolveReport &of_earlier, SolveReport &report);
  bool has_explicit_terms() const { return static_cast<bool>(system_.explicit_terms); }
  NonlinearOperator &op() { return system_.op; }
  const NonlinearOperator &op() const { return system_.op; }

  SteppedSystem system_;
  double tolerance_; // of a step's system
  NonlinearSolver solver_;
  VectorKernels kernels_;
  std::vector<Vector> history_; // states, latest first
  std::vector<Vector> rates_;   // time derivatives of the latest, of schemes that carry them
  Vector next_, offset_, stage_;
  Vector load_; // of explicit terms, added to the residual of the next system

private:
  double longest_step() const;
  void measure_rounding(const Vector &u);
  bool take_error(const StepAttempt &attempt);
  std::optional<double> estimated_error(const StepAttempt &attempt);
  std::string doubt(const StepAttempt &attempt);
  void accept(const StepAttempt &attempt);

  std::size_t depth_; // states to keep
};

// The stepper of an implicit scheme.
std::unique_ptr<ImplicitStepper> make_implicit_stepper(const SteppedSystem &system,
                                                       const SolverSettings &solver,
                                                       const TimeSettings &settings);

} // namespace weft
