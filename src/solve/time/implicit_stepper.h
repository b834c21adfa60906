// Implicit time stepping: each step solves F(t, u, dt(u)) = 0 for the next state.
#pragma once

#include <functional>
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

// Schemes, with h the step from u_n to u_n+1:
//   theta  F = 0 at the time t_n + theta h and the state v = u_n + theta (u_n+1 - u_n), with
//          dt(v) = (v - u_n) / (theta h): the midpoint rule for 0.5, backward Euler for 1 (Hairer
//          and Wanner, Solving Ordinary Differential Equations II, 1996, section V.6: the one-leg
//          twin of the theta method)
//   bdf2   F = 0 at t_n+1, with the derivative of the parabola through u_n+1, u_n and u_n-1, for
//          steps of any length (ibid., I, section III.5); the first step is backward Euler
// Prescribed values are met at the ends of steps. Where the operator splits reactions from F
// (scheme theta), half a step of them comes before and after each step.
//
// Fixed steps: what lies between two stops is divided evenly. Adaptive steps: the local error of a
// step is estimated by divided differences of states (of the derivative that leads the error of the
// scheme), measured as largest_share() does, and the step follows control_step(). The very first
// step has no estimate: it is a thousandth of `step`.
class ImplicitStepper : public Stepper {
public:
  // Moves the operator to a time: what depends on it is taken anew.
  using MoveTo = std::function<void(double time)>;

  // `field_offset`: first entry of each field in vectors. The operator must outlive the stepper.
  // start() or resume() comes next.
  ImplicitStepper(NonlinearOperator &op, const SolverSettings &solver, const TimeSettings &settings,
                  std::vector<std::int64_t> field_offset, MoveTo move_to);

  // Sets the prescribed values in the state.
  void start(const std::vector<double> &state) override;
  void resume(const TimeState &state) override;
  // Not converged where the step's system is not solved (adaptive: at the smallest step), or steps
  // have become too short (step_lost).
  SolveReport step(const SolveProgress &progress = {}) override;

  TimeState state() const override;
  std::vector<double> solution() const override;
  void forget_setup() override { solver_.forget_setup(); }
  bool holds_setup() const override { return solver_.holds_setup(); }

private:
  double longest_step() const;
  SolveReport solve(const StepAttempt &attempt, const SolveProgress &progress);
  void measure_rounding(const Vector &u);
  std::optional<double> estimated_error(const StepAttempt &attempt);
  void accept(const StepAttempt &attempt);
  int order() const;

  const Vector &begin_step(double h);
  void predict(const StepAttempt &attempt, const Vector &begin, Vector &u);
  std::vector<double> read(const Vector &v) const;

  NonlinearOperator &op_;
  std::vector<std::int64_t> field_offset_;
  MoveTo move_to_;
  double tolerance_; // of a step's system
  NonlinearSolver solver_;
  VectorKernels kernels_;
  std::vector<Vector> history_; // states, latest first
  Vector next_, offset_, stage_, reacted_;
  std::size_t depth_; // states to keep
};

} // namespace weft
