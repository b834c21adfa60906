// Implicit time stepping: each step solves F(t, u, dt(u)) = 0 for the next state.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "op/operator.h"
#include "solve/newton.h"
#include "solve/time_settings.h"
#include "solve/time_state.h"

namespace weft {

// Schemes, with h the step from u_n to u_n+1:
//   theta  F = 0 at the time t_n + theta h and the state v = u_n + theta (u_n+1 - u_n), with
//          dt(v) = (v - u_n) / (theta h): the midpoint rule for 0.5, backward Euler for 1 (Hairer
//          and Wanner, Solving Ordinary Differential Equations II, 1996, section V.6: the one-leg
//          twin of the theta method)
//   bdf2   F = 0 at t_n+1, with the derivative of the parabola through u_n+1, u_n and u_n-1, for
//          steps of any length (ibid., I, section III.5); the first step is backward Euler
// Prescribed values are met at the ends of steps.
//
// Fixed steps: what lies between two stops is divided evenly. Adaptive steps: the local error of a
// step is estimated by divided differences of states (of the derivative that leads the error of the
// scheme), and the step follows a PI controller (Gustafsson 1991, DOI 10.1145/210232.210242). The
// error is the largest over the fields of its root mean square, relative to the largest value that
// the field had so far. The very first step has no estimate: it is a thousandth of `step`.
class TimeStepper {
public:
  // Moves the operator to a time: what depends on it is taken anew.
  using MoveTo = std::function<void(double time)>;

  // `field_offset`: first dof of each field. The operator must outlive the stepper. start() or
  // resume() comes next.
  TimeStepper(NonlinearOperator &op, const SolverSettings &solver, const TimeSettings &settings,
              std::vector<std::int64_t> field_offset, MoveTo move_to);

  // Begins at settings.start; sets the prescribed values in the state.
  void start(const std::vector<double> &state);
  // Goes on from a state of an earlier run: gives the bits that that run would have given.
  void resume(const TimeState &state);

  bool finished() const { return state_.time >= settings_.end(); }
  // One accepted step. Where its system is not solved (adaptive: at the smallest step) the report
  // is not converged, and the state is that before the step.
  SolveReport step(const SolveProgress &progress = {});

  double time() const { return state_.time; }
  bool at_stop() const;
  // For a restart; waits for the device.
  TimeState state() const;
  // The state at time(); waits.
  std::vector<double> solution() const;
  // After a checkpoint: so that later steps do not depend on what was set up before it.
  void forget_setup() { solver_.forget_setup(); }

private:
  struct Attempt {
    double length = 0;
    double time = 0; // at its end
  };
  Attempt next_attempt() const;
  SolveReport solve(const Attempt &attempt, const SolveProgress &progress);
  void measure_rounding(const Vector &u);
  std::optional<double> estimated_error(const Attempt &attempt);
  double largest_share(const std::vector<double> &error, const std::vector<double> &state);
  void control(const Attempt &attempt, std::optional<double> estimate);
  void accept(const Attempt &attempt);
  int order() const;

  void predict(const Attempt &attempt, Vector &u);
  std::vector<double> read(const Vector &v) const;

  NonlinearOperator &op_;
  TimeSettings settings_;
  std::vector<std::int64_t> field_offset_;
  MoveTo move_to_;
  double tolerance_; // of a step's system
  NonlinearSolver solver_;
  VectorKernels kernels_;
  TimeState state_;             // but the states
  std::vector<Vector> history_; // states, latest first
  Vector next_, offset_, stage_;
  std::size_t depth_; // states to keep
};

} // namespace weft
