// Nodes made one by periodicity.
#pragma once

#include "case/mesh_spec.h"
#include "mesh/mesh.h"
#include "mesh/raw_mesh.h"

namespace weft {

// The pairs of links between vertices, and those of the nodes of order 2 that lie between vertices
// which a link moves. `mesh` is of geometry order 2.
std::vector<PeriodicLink> with_second_order(const Mesh &mesh, std::vector<PeriodicLink> links);

// Fills mesh.periodic_master from the raw mesh's pairs and from pairs of facet groups, of which the
// second is the first moved by a translation (the nodes of the second get those of the first as
// masters). Chains end at one master: no master has a master. With geometry of order 2, nodes of
// edges and faces follow the vertices they lie between.
// Input error for groups that are missing or whose nodes do not match.
void find_periodic(Mesh &mesh, const RawMesh &raw,
                   const std::vector<std::pair<std::string, std::string>> &pairs);

} // namespace weft
