// [[tied]] of a case on a mesh.
#pragma once

#include "op/problem/discretisation.h"

namespace weft {

// Dofs of continuous fields on tied groups by those that they follow: of the two groups of a pair
// the one of more nodes, else the second, follows. Prescribed dofs follow none; one that is in
// several pairs follows in the first. Uses the maps, fields, integrals and constraints of `d`.
// Errors: input (unknown groups, groups that do not lie on one another, dofs that follow
// themselves, a rotation that does not suit, integrals or conditions on all of the boundary);
// unsupported (ranks, conservation laws, discontinuous fields).
Ties make_ties(const Case &c, const Discretisation &d);

} // namespace weft
