// What a solve did.
#pragma once

#include <string>

namespace weft {

struct SolveResult {
  bool converged = false;
  std::string reason;       // one sentence, also when converged
  int iterations = 0;       // of the linear solver, over all Newton steps and steps in time
  int newton_steps = 0;     // of a linear problem 1; 0: of Multigrid
  double residual = 0;      // its 2-norm relative to the initial one, computed from the solution
  double seconds = 0;       // of the solve
  double setup_seconds = 0; // of preconditioners: part of `seconds` where the solve made them
};

} // namespace weft
