// The numerical flux that a conservation law names, as expressions.
#pragma once

#include "case/form_spec.h"

namespace weft {

// Numerical fluxes of laws that name none.
inline const std::string default_numerical_flux = "lax_friedrichs";

// The derivative of the flux is a vector: of all fields one scalar has a flux. Its index, or -1.
int only_scalar_with_flux(const FormSpec &spec);

// The specification with an expression for each field that has a flux in `numerical_flux_of`, no
// other entries in `fluxes`, and the definitions that those expressions use. Definitions of the
// case come before those of a file of physics/flux.
// Errors (input): an unknown name (lists those there are), names that the law lacks, fields without
// an expression, expressions for fields without a flux.
FormSpec with_numerical_flux(const FormSpec &spec);

} // namespace weft
