// The schemes dirk2, dirk3 and dirk4.
#pragma once

#include "solve/time/dirk_tableau.h"
#include "solve/time/implicit_stepper.h"
#include "solve/time/prescribed_motion.h"

namespace weft {

// With h the step and k_i the rate at stage i,
//   u_i = u_n + h sum over j <= i of a_ij k_j,   F(t_n + c_i h, u_i, k_i) = 0,   u_n+1 = u_s.
// The rate at the start is that of the last stage of the step before; the first step takes a scheme
// that needs none (make_starting_dirk()), so that states that no rate leads on from, such as those
// just loaded, are ones to begin with.
//
// Prescribed values of stages follow the same sums, of their own rate: values at the stages' times
// would lower the order (Carpenter, Gottlieb, Abarbanel and Don 1995, doi:10.1137/0916072). At the
// end of the step they are met.
//
// The error of a step is that of the embedded solution.
class DirkStepper : public ImplicitStepper {
public:
  DirkStepper(const SteppedSystem &system, const SolverSettings &solver,
              const TimeSettings &settings);

protected:
  SolveReport solve(const StepAttempt &attempt, const SolveProgress &progress) override;
  int order() const override;
  double error_factor(const StepAttempt &attempt, std::size_t differences) const override;
  bool error_of_step(const StepAttempt &attempt, Vector &error) override;
  void take_over(const StepAttempt &attempt) override;

private:
  const DirkTableau &tableau() const { return rates_.empty() ? starting_ : usual_; }
  SolveReport solve_stage(std::size_t i, const StepAttempt &attempt, const SolveProgress &progress);

  DirkTableau usual_, starting_;
  PrescribedMotion motion_;
  std::vector<Vector> k_; // [stage]
  Vector base_, prescribed_;
};

} // namespace weft
