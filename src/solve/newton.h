// Nonlinear systems F(u) = 0: Newton's method with line search.
#pragma once

#include "op/operator.h"
#include "solve/report.h"
#include "solve/settings.h"

namespace weft {

// Solves F(u) = 0 from the u given, whose prescribed values are set first.
//
// A linear operator is solved to settings.tolerance for the increment: |F(u) - A step| is computed
// from the step, which is far smaller than u where u has an offset (293 K). A nonlinear one is
// iterated to settings.newton.tolerance: each step is solved as closely as it pays (Eisenstat and
// Walker 1996, choice 2, DOI 10.1137/0917003; never closer than settings.tolerance), then shortened
// until |F| falls (backtracking, Dennis and Schnabel 1996, section 6.3.2,
// DOI 10.1137/1.9781611971200). What goes wrong is in the report, never an exception; u is then the
// last accepted state.
SolveReport solve_nonlinear(NonlinearOperator &op, Vector &u, const SolverSettings &settings,
                            const SolveProgress &progress = {});

} // namespace weft
