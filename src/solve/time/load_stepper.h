// Stationary problems whose load is brought up in steps: F(u, s) = 0 from one value of the load
// parameter s to another.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "linalg/operator.h"
#include "solve/linear/linear.h"
#include "solve/nonlinear/newton.h"
#include "solve/time/stepper.h"

namespace weft {

// The parameter takes the place of time. Steps begin at the line through the last two states, grow
// where Newton's method needs few steps, are cut back where it fails, and end at the settings'
// stops.
//
// With arc length, the second step and all later ones are of a given length along the path of
// (u, s), and s is an unknown (pseudo-arclength continuation, Keller 1977; Allgower and Georg 2003,
// "Introduction to Numerical Continuation Methods", chapter 4, DOI 10.1137/1.9780898719154): the
// path goes on through limit points, where s turns. Both are measured by their change in the first
// step. The run ends where s comes to its end for the first time.
class LoadStepper : public Stepper {
public:
  // Moves the operator to a value of the parameter.
  using MoveTo = std::function<void(double parameter)>;

  // The operator must outlive the stepper. start() or resume() comes next.
  LoadStepper(NonlinearOperator &op, const SolverSettings &solver, const TimeSettings &settings,
              MoveTo move_to);

  void start(const std::vector<double> &state) override;
  void resume(const TimeState &state) override;
  // Not converged where the shortest step finds no solution.
  SolveReport step(const SolveProgress &progress = {}) override;

  // Every state is looked at.
  bool at_stop() const override { return state_.num_steps > 0; }
  TimeState state() const override;
  std::vector<double> solution() const override;
  void forget_setup() override;
  bool holds_setup() const override { return solver_.holds_setup(); }

private:
  struct Attempt {
    SolveReport report;
    double parameter = 0;
    int newton_steps = 0;
  };
  Attempt attempt_load(double length, const SolveProgress &progress);
  Attempt attempt_arc(double length);
  bool correct(double &parameter, double length, Attempt &attempt);
  void slope(double parameter, const Vector &residual, Vector &of_parameter);
  void accept(const Attempt &attempt);
  void control(double length, int newton_steps);
  double shortest_length() const;
  double product(const std::vector<double> &a, const std::vector<double> &b) const;

  NonlinearOperator &op_;
  SolverSettings solver_settings_;
  MoveTo move_to_;
  NonlinearSolver solver_;
  std::optional<LinearSolver> linear_; // of arc length
  VectorKernels kernels_;
  std::vector<Vector> history_; // states, latest first: two at most
  Vector next_;
};

} // namespace weft
