// What solves a case where it does not say.
#pragma once

#include "case/case.h"
#include "form/law/conservation_law.h"
#include "op/problem/discretisation.h"
#include "output/results.h"

namespace weft {

// From so many dofs on multigrid is chosen: below, what it saves is less than its set-up takes.
inline constexpr std::int64_t multigrid_from_dofs = 20000;

// Throws what is wrong with [solver] whatever the case turns out to be: input errors of
// make_solver_settings().
void check_solver(SolverSpec s);

// Throws an error (unsupported) where [solver] asks for what ranks do not have yet.
void refuse_on_ranks(const Case &c, int ranks);

// As Model::choose_solver(), of a weak form and of the implicit steps of a law. `state`: [dof], at
// which the solve starts.
SolverRecord choose_solver_of_form(Case &c, const Discretisation &d,
                                   const std::vector<double> &state);
// Whether a direct solver may take the place of another one that fails: in minutes at the most, and
// within the memory.
bool elimination_is_affordable(const Discretisation &d);
// Error (unsupported): a preconditioner that implicit steps do not have.
SolverRecord choose_solver_of_law(Case &c, const ConservationLaw &law);

} // namespace weft
