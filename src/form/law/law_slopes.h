// What a conservation law's functions say of the Jacobian of its discretisation.
#pragma once

#include "form/law/conservation_law.h"

namespace weft {

// What is known of the rate's derivative by the state, as the functions of cells, facets and
// boundaries have it.
struct LawSlopes {
  bool constant = false;  // it does not depend on the state: the rate is affine
  bool steady = false;    // it does not depend on the time
  bool symmetric = false; // with rows times cell volume and capacity, see below
};

// Symmetric is known to be: the two-point diffusion of one component by finite volumes, without an
// inviscid flux and with a constant Jacobian. The flux between two cells then is a coefficient
// times the difference of their values, and boundaries and sources have entries on the diagonal.
// `linear` alone speaks of the flux and the source; numerical fluxes and boundaries count here too.
LawSlopes law_slopes(const ConservationLaw &law);

} // namespace weft
