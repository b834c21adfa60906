// What a specialist would say of a case on its mesh: notices, never errors.
#pragma once

#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// All: looks at the state [dof] given: where the form is not linear, better the solution's than the
// initial one. Says, as notices, each once:
// - fields of order 1 that lock;
// - convection that is stronger than diffusion in a cell, without a term that makes it stable;
// - layers and interfaces that are thinner than cells;
// - values at points where they have no limit, of whole meshes;
// - boundaries of straight cells that look curved, under elements of higher order;
// - second derivatives of linear elements, which are 0.
void give_advice(const Case &c, const Discretisation &d, const std::vector<double> &state);

} // namespace weft
