// What a solve did.
#pragma once

#include <string>

namespace weft {

struct SolveResult {
  bool converged = false;
  std::string reason;       // one sentence, also when converged
  int iterations = 0;       // of the linear solver, over all Newton steps and steps in time
  int newton_steps = 0;     // 0 for linear systems
  double residual = 0;      // relative to the initial one
  double seconds = 0;       // in all
  double setup_seconds = 0; // of these for set-ups of the preconditioner
};

} // namespace weft
