// Errors of functionals by dual weighted residuals.
#pragma once

#include <memory>
#include <vector>

#include "output/results.h"
#include "run/adjoint/enriched_space.h"
#include "run/adjoint/space_adjoint.h"

namespace weft {

// Where the form or a functional whose error is asked for is not linear, a step of Newton's method
// is taken in the enriched space first, and all is linearised half way to where it leads, at which
// derivatives are their means along the way but for the third order in the error (Becker and
// Rannacher 2001, DOI 10.1017/S0962492901000010, have the trapezoidal rule there); of quadratic
// functionals of linear problems nothing is left.
class ErrorEstimator {
public:
  // Of a simulation that was solved, which must outlive it.
  explicit ErrorEstimator(const Simulation &s);

  // The error of a functional by the residual of the state weighted with the adjoint solution in
  // the enriched space. Error (unsupported): see EnrichedSpace::place().
  EstimatedError estimate(const SolvedFunctional &functional);

private:
  EnrichedSpace space_;
  std::unique_ptr<SpaceAdjoint> adjoint_; // in it
};

} // namespace weft
