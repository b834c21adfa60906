// The schemes ars2 and ars3.
#pragma once

#include "solve/time/ars_tableau.h"
#include "solve/time/fields_of_order.h"
#include "solve/time/implicit_stepper.h"

namespace weft {

// F(t, u, dt(u)) = M dt(u) + R(t, u) with a constant M, and explicit terms G. With h the step, t_i
// the times of stages, G_0 those at its start,
//   M (u_i - u_n) / (a_ii h) + R(t_i, u_i) + sum over j < i of a_ij / a_ii R(t_j, u_j)
//     + sum over j < i of A_ij / a_ii G(t_j, u_j) = 0,   u_n+1 = u_s,
// a the implicit and A the explicit tableau: the known sums are a load of F, and no mass is
// inverted. Equations of fields without a time derivative have no known sums: they hold in each
// stage, and so at the end.
//
// Prescribed values of stages are those at their times: the sums that DirkStepper takes would need
// the explicit part of their rate. Where they move, and what is implicit is stiff, up to half of
// the third order is lost.
//
// Errors of steps are taken from third divided differences of states, which are those of a scheme
// of order 2.
class ArsStepper : public ImplicitStepper {
public:
  ArsStepper(const SteppedSystem &system, const SolverSettings &solver,
             const TimeSettings &settings);

protected:
  SolveReport solve(const StepAttempt &attempt, const SolveProgress &progress) override;
  int order() const override { return 2; }
  double error_factor(const StepAttempt &attempt, std::size_t differences) const override;

private:
  SolveReport solve_stage(std::size_t i, const StepAttempt &attempt, const SolveProgress &progress);
  void take_known_sums(std::size_t i);
  void set_first_guess(std::size_t i, double h);

  ArsTableau tableau_;
  FieldsOfOrder fields_;
  std::vector<Vector> implicit_, explicit_; // [stage]: R; [start, then stage]: G
  Vector no_rate_;
};

} // namespace weft
