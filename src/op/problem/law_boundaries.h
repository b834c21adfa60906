// Which boundary condition of a conservation law holds on which facets.
#pragma once

#include <vector>

#include "case/form_spec.h"
#include "form/law/conservation_law.h"
#include "mesh/mesh.h"
#include "op/problem/class_table.h"
#include "ranks/communicator.h"

namespace weft {

// [facet class]: index into `boundaries`, the conditions of a case; -1 for classes without boundary
// facets, which periodic ones are not. A condition on `all` or `boundary` holds on what no other
// one names.
// Errors (input): a group that the mesh lacks or that has no facets on the boundary, facets with
// several conditions, facets without (their groups, how many). `ranks`: that have the other parts
// of the mesh; the classes are those of the whole.
std::vector<int> conditions_of_classes(const std::vector<BoundarySpec> &boundaries,
                                       const Mesh &mesh, Communicator *ranks = nullptr);

// law.facet_table: an entry needs a value where the condition that uses it holds, and is 0
// elsewhere. Errors: of resolve_table().
ClassTable resolve_facet_table(const ConservationLaw &law,
                               const std::vector<int> &condition_of_class, const Mesh &mesh);

} // namespace weft
