// Solves linearised problems and their adjoints, for one right-hand side after the other.
#pragma once

#include <optional>
#include <vector>

#include "op/problem/discretisation.h"
#include "run/simulation.h"
#include "solve/linear/linear.h"

namespace weft {

class LinearisedSolver {
public:
  enum class Which { jacobian, transposed };

  // Of the problem `d`, which the case `c` makes, linearised at a state [dof]. The transposed one
  // of a symmetric form is its own, of others that of the transposed form. How systems are solved
  // is Weft's choice, as if [solver] said nothing but its tolerance, max_iterations and a direct
  // method; in f64. `s`, whose device it is, must outlive it.
  LinearisedSolver(const Simulation &s, const Case &c, const Discretisation &d,
                   const std::vector<double> &state, Which which);

  // [dof]: x with F'(u) x = load, or F'(u)^T x = load, where nothing is prescribed, and 0 where
  // something is.
  // Error (numerical): it did not converge.
  std::vector<double> solve(std::vector<double> load);

private:
  void set_up();
  SolveReport attempt(const Vector &b, Vector &x);

  Device &device_;
  std::vector<double> state_; // at which the operator is linearised
  Simulation problem_;        // without a mesh and a device of its own
  SolverSettings settings_;
  Vector linearised_at_;
  std::optional<LinearSolver> solver_;
};

} // namespace weft
