// What solves a case where it does not say.
#pragma once

#include "case/case.h"
#include "op/discretisation.h"
#include "output/results.h"

namespace weft {

// From so many dofs on multigrid is chosen: below, what it saves is less than its set-up takes.
inline constexpr std::int64_t multigrid_from_dofs = 20000;

// Throws what is wrong with [solver] whatever the case turns out to be: input errors of
// make_solver_settings().
void check_solver(SolverSpec s);

// Fills in what the case leaves open of [solver] operator, method, preconditioner and inner.method,
// and says what is used. What the case says stays. A case of a conservation law solves no systems,
// and gets an empty record.
SolverRecord choose_solver(Case &c, const Discretisation &d);

} // namespace weft
