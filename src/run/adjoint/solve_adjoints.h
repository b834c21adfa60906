// What a case asks of adjoint problems, after its own was solved.
#pragma once

#include "output/results.h"
#include "run/simulation.h"

namespace weft {

// The errors and gradients of all functionals that ask for them; nothing where none does. The
// problem must be solved and have converged.
// Errors: unsupported (a body that may turn); numerical (an adjoint
// problem does not converge, values that are not finite).
AdjointResults solve_adjoints(Simulation &s);

} // namespace weft
