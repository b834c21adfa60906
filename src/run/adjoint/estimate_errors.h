// Errors of functionals by dual weighted residuals.
#pragma once

#include <memory>
#include <vector>

#include "output/results.h"
#include "run/adjoint/space_adjoint.h"

namespace weft {

// The space of the next order of a simulation that was solved. Where the form or a functional whose
// error is asked for is not linear, a step of Newton's method is taken there first, and all is
// linearised half way to where it leads, at which derivatives are their means along the way but for
// the third order in the error (Becker and Rannacher 2001, DOI 10.1017/S0962492901000010, have the
// trapezoidal rule there); of quadratic functionals of linear problems nothing is left. `s` must
// outlive it.
std::unique_ptr<SpaceAdjoint> make_enriched_adjoint(const Simulation &s);

// The error of a functional by the residual of the state weighted with the adjoint solution in
// `enriched`.
EstimatedError estimate_error(const Simulation &s, SpaceAdjoint &enriched,
                              const SolvedFunctional &functional);

} // namespace weft
