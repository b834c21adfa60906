// Explicit time stepping: Runge-Kutta schemes over dq/dt = L(t, q).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "linalg/operator.h"
#include "linalg/vector_kernels.h"
#include "solve/time/runge_kutta.h"
#include "solve/time/step_control.h"
#include "solve/time/stepper.h"

namespace weft {

// Steps are fixed, or `cfl` times op.unit_step(), or adaptive: the difference from the scheme's
// embedded solution is measured as largest_share() does, and the step follows control_step(), with
// `cfl` as its bound where it is given too. Where neither a step nor `cfl` is given, steps follow
// stability: nine tenths of what the scheme is stable with by the eigenvalues of the rate, looked
// at at the start and in every 200th step (rate_spectrum()); at most nine tenths of explicit
// Euler's where the operator knows that, and half a unit step where states are limited, so that
// means stay between their neighbours. Of operators that know their longest step a fixed one is
// checked against it at the start, see check_fixed_step(); others, and `cfl`, are told where they
// are too long. The unit step is looked at in each of the first ten steps and then with each check.
// After each stage the operator limits the state. Sources that the operator has split off are taken
// half a step before the stages and half a step after them.
//
// Every tenth step and at stops the state is checked: that it is finite and, with `cfl`, has a unit
// step; and, where its norm has grown tenfold, that the last steps taken with half their length
// give that growth too. Steps that are too long for the scheme make it grow at any rate: no growth
// that is resolved in time depends on them so. Nor may it grow without bound, see
// grows_without_bound(). The state of the last check is kept: a step that
// fails leads back to it.
class ExplicitStepper : public Stepper {
public:
  // `field_offset`: first dof of each field. The operator must outlive the stepper.
  ExplicitStepper(ExplicitOperator &op, const TimeSettings &settings,
                  std::vector<std::int64_t> field_offset);

  // Errors (input): of check_fixed_step(); a scheme without stable steps.
  void start(const std::vector<double> &state) override;
  void resume(const TimeState &state) override;
  // Not converged where a check fails (not_finite, unstable, unbounded, no_wave_speed), no step
  // keeps the tolerance (step_too_small), or steps have become too short (step_lost).
  SolveReport step(const SolveProgress &progress = {}) override;

  // What is to be said of the steps that were asked for; empty: nothing. After start().
  const std::string &remark() const { return remark_; }

  // The last step was followed by a check, or there was none yet.
  bool grew() const override { return grew_; }
  bool checked() const override { return steps_since_check_.empty(); }
  TimeState state() const override;
  std::vector<double> solution() const override;
  const Vector *device_state() const override { return &registers_[0]; }

  // The first state that is not finite, or that did not pass its check, and its time: [dof], empty
  // before that.
  const std::vector<double> &failed_state() const { return failed_state_; }
  double failed_time() const { return failed_time_; }

private:
  struct Good {
    Vector q;
    TimeState state; // but the states
    double norm = 0;
  };
  void begin();
  bool follows_stability() const { return !(settings_.step > 0) && !(settings_.cfl > 0); }
  bool follows_unit_step() const { return settings_.cfl > 0 || follows_stability(); }
  double stable_cfl();
  void choose_cfl();
  void look_at_steps();
  bool find_unit_step();
  std::optional<double> longest_step();
  void advance(double time, double h);
  double estimated_error(std::vector<double> &field_scale);
  bool attempt_step(const StepAttempt &attempt);
  bool finite(double norm);
  bool growth_is_resolved(double norm);
  bool grows_by_itself(double norm);
  bool grows_without_bound(double norm);
  SolveStatus check();
  void find_first_fault();
  SolveReport fail(SolveStatus status, const std::string &detail);

  ExplicitOperator &op_;
  std::vector<std::int64_t> field_offset_;
  RungeKutta scheme_;
  VectorKernels kernels_;
  // The state first; stages go round in the others, of which the last step's are still there: see
  // advance().
  std::vector<Vector> registers_;
  std::optional<Vector> sum_;
  std::vector<int> stage_register_; // [stage]: where the last step left its state
  Good good_;
  std::vector<StepAttempt> steps_since_check_;
  bool grew_ = false; // see grew()
  std::vector<double> failed_state_;
  double failed_time_ = 0;
  std::string remark_;
};

} // namespace weft
