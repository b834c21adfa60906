// Gradients of functionals by parameters, exact derivatives of what was computed.
#pragma once

#include <memory>
#include <vector>

#include "output/results.h"
#include "run/adjoint/space_adjoint.h"

namespace weft {

// The space of a simulation that was solved. `s` must outlive it.
std::unique_ptr<SpaceAdjoint> make_adjoint(const Simulation &s);

// The derivatives of a functional by the parameters that its spec names, through the equations,
// prescribed values, known fields, definitions and its own expression; the mesh and the place of an
// extreme stay.
std::vector<FunctionalGradient> gradients_of(SpaceAdjoint &adjoint,
                                             const SolvedFunctional &functional);

} // namespace weft
