// Whether the linearised form is sure to be positive semi-definite, seen from its integrand.
#pragma once

#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// For symmetric forms. At some points of the mesh, at the state [dof] given, the integrand over
// cells is a quadratic form of the increment's value and gradient without negative directions: so
// is its integral, then. False where a field stands for a constraint (a pressure), and where a term
// has the other sign (Helmholtz); what facets add is not looked at.
bool integrand_is_semidefinite(const Discretisation &d, const std::vector<double> &state);

} // namespace weft
