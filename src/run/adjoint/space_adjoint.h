// The adjoint solutions of functionals, in one space.
#pragma once

#include <utility>
#include <vector>

#include "op/evaluate/functional_derivative.h"
#include "run/adjoint/linearised_solver.h"
#include "run/adjoint/open_constants.h"

namespace weft {

// A functional of a simulation that was solved.
struct SolvedFunctional {
  const FunctionalSpec &spec;
  std::vector<double> values;          // [component]
  std::vector<FunctionalPlace> places; // of extremes
  bool is_reaction() const { return spec.kind == FunctionalKind::reaction; }
};
// Error (numerical): a value that is not finite.
SolvedFunctional solved_functional(const Simulation &s, const FunctionalSpec &spec);

// A space in which adjoint problems are solved.
struct SpaceAdjoint {
  Case c;
  Discretisation d;
  std::vector<double> state;  // [dof]: the solution there
  std::vector<double> middle; // [dof]: at which the problem and functionals are linearised
  OpenConstants constants;
  LinearisedSolver solver;

  // `of_space`: those of `in_space`.
  SpaceAdjoint(const Simulation &s, Case with_case, Discretisation in_space, OpenConstants of_space,
               std::vector<double> at_state, std::vector<double> linearised_at)
      : c(std::move(with_case)), d(std::move(in_space)), state(std::move(at_state)),
        middle(std::move(linearised_at)), constants(std::move(of_space)),
        solver(s, c, d, middle, LinearisedSolver::Which::transposed) {}

  // [dof]: z, such that a change of the equations by r(v) changes the functional by -r(z): F'(u)(v,
  // z) is the functional's derivative in the direction v. It is 0 where values are prescribed; of a
  // reaction -1 at its nodes, since that is the residual itself.
  std::vector<double> solution(const SolvedFunctional &functional, int component);
  // [dof]: the derivative of the functional, 0 of a reaction, whose dependence `solution` has.
  std::vector<double> derivative(const SolvedFunctional &functional, int component) const;
};

} // namespace weft
