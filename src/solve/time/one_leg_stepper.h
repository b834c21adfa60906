// The schemes theta and bdf2.
#pragma once

#include "solve/time/implicit_stepper.h"

namespace weft {

// Schemes, with h the step from u_n to u_n+1:
//   theta  F = 0 at the time t_n + theta h and the state v = u_n + theta (u_n+1 - u_n), with
//          dt(v) = (v - u_n) / (theta h): the midpoint rule for 0.5, backward Euler for 1 (Hairer
//          and Wanner, Solving Ordinary Differential Equations II, 1996, section V.6: the one-leg
//          twin of the theta method)
//   bdf2   F = 0 at t_n+1, with the derivative of the parabola through u_n+1, u_n and u_n-1, for
//          steps of any length (ibid., I, section III.5); the first step is backward Euler
// and quasi_static: backward Euler where nothing has a time derivative, so that each step solves
// F = 0 at its end.
//
// Explicit terms G stand in that F as they are extrapolated from the start of the step and that of
// the one before, r = h / h_n-1 the ratio of the two (Ascher, Ruuth and Wetton 1995,
// doi:10.1137/0732037):
//   theta  below 1 (1 + r/2) G_n - r/2 G_n-1, in the middle of the step (Crank-Nicolson,
//          Adams-Bashforth); 1: G_n (forward-backward Euler)
//   bdf2   (1 + r) G_n - r G_n-1, at its end (SBDF2)
// and in the first step G_n.
//
// Prescribed values are met at the ends of steps. Where the operator splits reactions from F
// (scheme theta), half a step of them comes before and after each step.
//
// Errors of steps are taken from divided differences of states (of the derivative that leads the
// error of the scheme).
class OneLegStepper : public ImplicitStepper {
public:
  OneLegStepper(const SteppedSystem &system, const SolverSettings &solver,
                const TimeSettings &settings);

protected:
  SolveReport solve(const StepAttempt &attempt, const SolveProgress &progress) override;
  int order() const override;
  double error_factor(const StepAttempt &attempt, std::size_t differences) const override;

private:
  bool is_bdf2() const { return settings_.scheme == TimeScheme::bdf2; }
  double theta() const { return settings_.scheme == TimeScheme::theta ? settings_.theta : 1; }
  const Vector &begin_step(double h);
  void take_explicit_terms(double h);

  Vector reacted_, earlier_terms_;
};

} // namespace weft
