// What a user should know of a case on its mesh before anything is solved.
#pragma once

#include "mesh/build/unjoined_facets.h"
#include "op/problem/discretisation.h"

namespace weft {

// Of a whole mesh that was read. Throws `input` where it does not conform: facets that meet with
// other vertices (count, first places), unless conditions name their groups. Says, as `notices`:
// facets that lie on one another without being joined, unless conditions name their groups.
void look_over_mesh(const Case &c, const Mesh &whole, const UnjoinedFacets &unjoined,
                    bool notices = true);

// Throws `input` where nothing determines a field, or diffusion runs backwards. Says, as `notices`:
// boundary facets without any condition, by group; integrals that the highest quadrature degree
// does not integrate exactly.
void look_over(const Case &c, const Discretisation &d, bool notices = true);

} // namespace weft
