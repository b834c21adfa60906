// Inequality bounds of fields on a mesh.
#pragma once

#include "op/problem/discretisation.h"

namespace weft {

// Those of a case, at the nodes of its fields; prescribed dofs have none. Uses the maps, fields and
// constraints of `d`. Errors (input): wrong shape, a lower bound above the upper one or one that
// is not a number. Errors (unsupported): bounds of conservation laws, of the
// scheme theta but for theta = 1, along arcs.
DofBounds make_bounds(const Case &c, const Discretisation &d);

} // namespace weft
