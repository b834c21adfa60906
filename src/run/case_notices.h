// What a user should know of a case on its mesh before anything is solved.
#pragma once

#include "mesh/build/unjoined_facets.h"
#include "op/problem/discretisation.h"

namespace weft {

// Throws `input` where a mesh that was read does not conform: facets that meet with other vertices
// (count, first places), unless conditions name their groups.
//
// Says, as `notices`: boundary facets without any condition, by group; facets that lie on one
// another without being joined, unless conditions name their groups; integrals that the highest
// quadrature degree does not integrate exactly.
//
// `unjoined`: of a mesh that was read.
void look_over(const Case &c, const Discretisation &d, const UnjoinedFacets &unjoined,
               bool notices = true);

} // namespace weft
