// Dofs in colours such that no two dofs of a cell have the same.
#pragma once

#include "linalg/colouring.h"
#include "op/problem/discretisation.h"

namespace weft {

// All; [own entry of vectors]. Greedy, in the order of the numbers, among ranks rank by rank: node
// by node, each with the smallest colour that no node of its cells has; components and fields have
// colours of their own. The same on every run. Residuals of dofs of one colour then do not depend
// on each other, so that one difference of residuals gives the diagonal entries of all of them
// (Gebremedhin, Manne, Pothen, "What color is your Jacobian?", SIAM Review 47 (2005),
// doi:10.1137/S0036144504444711).
Colouring colour_dofs(const Discretisation &d);

} // namespace weft
