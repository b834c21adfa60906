// The scheme generalised_alpha.
#pragma once

#include "solve/time/fields_of_order.h"
#include "solve/time/implicit_stepper.h"
#include "solve/time/prescribed_motion.h"

namespace weft {

// Its numbers, by the spectral radius at infinite frequency. F = 0 at the time t_n + alpha_f h,
//   u = u_n + alpha_f (u_n+1 - u_n),
// with, for fields of second order in time (Chung and Hulbert 1993, doi:10.1115/1.2900803, whose
// alphas are one minus these),
//   dt(u) = v_n + alpha_f (v_n+1 - v_n),   dt(dt(u)) = a_n + alpha_m (a_n+1 - a_n),
//   u_n+1 = u_n + h v_n + h^2 ((1/2 - beta) a_n + beta a_n+1),
//   v_n+1 = v_n + h ((1 - gamma) a_n + gamma a_n+1),
// and for those of first order (Jansen, Whiting and Hulbert 2000,
// doi:10.1016/S0045-7825(00)00203-6)
//   dt(u) = v_n + first_alpha_m (v_n+1 - v_n),
//   u_n+1 = u_n + h ((1 - first_gamma) v_n + first_gamma v_n+1).
struct GeneralisedAlpha {
  explicit GeneralisedAlpha(double spectral_radius);
  double alpha_f, alpha_m, beta, gamma, first_alpha_m, first_gamma;
};

// Fields without a time derivative are those at t_n + alpha_f h, extrapolated to the end of the
// step. At the start the highest time derivatives, and the fields that have none, are solved for,
// so that F = 0 there. Prescribed values are met at the ends of steps, and their time derivatives
// are their own.
//
// Errors of steps are taken from divided differences of states.
class GeneralisedAlphaStepper : public ImplicitStepper {
public:
  GeneralisedAlphaStepper(const SteppedSystem &system, const SolverSettings &solver,
                          const TimeSettings &settings);

  void start(const std::vector<double> &state) override;
  void resume(const TimeState &state) override;

protected:
  SolveReport solve(const StepAttempt &attempt, const SolveProgress &progress) override;
  int order() const override { return 2; }
  double error_factor(const StepAttempt &attempt, std::size_t differences) const override;
  void take_over(const StepAttempt &attempt) override;

private:
  void begin_rates();
  // Where values are prescribed, those of `from` come into `to`.
  void prescribe_in(const Vector &from, Vector &to);
  SolveReport solve_for_start();

  GeneralisedAlpha scheme_;
  SolverSettings solver_settings_;
  PrescribedMotion motion_;
  FieldsOfOrder fields_;
  SolveReport start_; // of the solve at the start
  Vector second_offset_, work_;
  Vector velocity_, acceleration_; // at the end of the step under way
};

} // namespace weft
