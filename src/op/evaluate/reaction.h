// What prescribed values add to the equations: forces of supports on a body, heat that flows in.
#pragma once

#include <vector>

#include "case/case.h"
#include "op/problem/discretisation.h"

namespace weft {

// A functional of kind `reaction`, on a mesh.
struct Reaction {
  int field = 0;
  int component = -1;      // of the field; -1: all
  std::vector<bool> nodes; // [node of the field's map]: on its facets, and of this rank
};

// All. Errors: input (a field that is not there, no facets); unsupported (of conservation laws, of
// forms in C text, with dt(), or over interior facets).
Reaction make_reaction(const Discretisation &d, const FunctionalSpec &spec);

// All. [component], or of the one that is asked for: the sum over the reaction's nodes of the
// form's residual at a state [dof], as if nothing were prescribed. It converges twice as fast as
// integrals of fluxes over the facets (Babuska and Miller 1984, DOI 10.1002/nme.1620200610).
std::vector<double> value_of(const Discretisation &d, const Reaction &reaction,
                             const std::vector<double> &state);

} // namespace weft
