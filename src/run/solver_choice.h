// What solves a case where it does not say.
#pragma once

#include "case/case.h"
#include "op/problem/discretisation.h"
#include "output/results.h"

namespace weft {

// From so many dofs on multigrid is chosen: below, what it saves is less than its set-up takes.
inline constexpr std::int64_t multigrid_from_dofs = 20000;

// Throws what is wrong with [solver] whatever the case turns out to be: input errors of
// make_solver_settings().
void check_solver(SolverSpec s);

// Fills in what the case leaves open of [solver] operator, method, preconditioner and inner.method,
// and says what is used. What the case says stays. A conservation law that is stepped explicitly
// solves no systems, and gets an empty record. Error (unsupported): a preconditioner that implicit
// steps of a law do not have.
SolverRecord choose_solver(Case &c, const Discretisation &d);

// A conservation law that is stepped implicitly.
bool is_implicit_law(const Case &c);

} // namespace weft
