// Whether a form resists rotations: what tells elasticity from other forms of a vector.
#pragma once

#include "op/problem/discretisation.h"

namespace weft {

// The form's only field is a vector of the mesh's dimension, and the derivative of its cell
// integral at the state 0 sees strains but no infinitesimal rotation: f1 is zero for antisymmetric
// gradients of the increment. Terms without gradients (inertia, foundations) do not matter.
// Evaluated with the parameters of one region at one point.
bool ignores_rotations(const Discretisation &d);

} // namespace weft
