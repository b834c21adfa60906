// Systems that cannot be solved because they leave a constant open: pure Neumann problems.
#pragma once

#include "linalg/operator.h"
#include "op/problem/discretisation.h"

namespace weft {

// Throws an input error naming the field (and component) whose constant the form does not see: none
// of its dofs is prescribed, and the derivative F'(u) applied to the constant is zero to rounding,
// for a non-linear form at another state too. Prescribed values must be set in `u`. Leaves the
// operator linearised at a state of its own. Costs nothing where every component has a prescribed
// dof.
void refuse_singular(NonlinearOperator &op, const Discretisation &d, const Vector &u);

} // namespace weft
