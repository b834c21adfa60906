// [dirichlet] of a case on a mesh.
#pragma once

#include "op/problem/discretisation.h"

namespace weft {

// Prescribed dofs with their values; where groups meet the later line wins, with a notice when the
// values differ. A group is one of facets, or of points of the geometry. Uses the maps, fields and
// auxiliary fields of `d`, and those that it has as fixed. Errors (input): unknown field, component
// or group, wrong shape. `notices`: say where lines meet.
Constraints make_constraints(const Case &c, const Discretisation &d, bool notices = true);

} // namespace weft
