// What a case asks of its solves.
#pragma once

#include "case/case.h"
#include "solve/settings.h"

namespace weft {

// Errors (input): a method or preconditioner that does not exist or does not go with the operator,
// a limit that is not positive. Where the preconditioner is open it is jacobi.
SolverSettings make_solver_settings(const SolverSpec &spec);

// What preconditions, or is the inner solver of defect correction, works with the matrix's entries.
bool needs_matrix(const SolverSpec &spec);

// Whether multigrid smooths by an inverse made of a level's matrix. Error (input): no such
// smoother.
bool smooths_by_inverse(const SolverSpec &spec);

} // namespace weft
