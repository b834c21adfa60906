// Nodes made one by periodicity.
#pragma once

#include <map>

#include "case/mesh_spec.h"
#include "mesh/mesh.h"
#include "mesh/raw_mesh.h"

namespace weft {

// The pairs of links between vertices, and those of the nodes of order 2 that lie between vertices
// which a link moves. `mesh` is of geometry order 2.
std::vector<PeriodicLink> with_second_order(const Mesh &mesh, std::vector<PeriodicLink> links);

// The raw mesh's links, then those of pairs of facet groups, of which the second is the first moved
// by a translation (the vertices of the second get those of the first as masters). Input error for
// groups that are missing or whose nodes do not match.
std::vector<PeriodicLink>
periodic_links(const Mesh &mesh, const RawMesh &raw,
               const std::vector<std::pair<std::string, std::string>> &pairs);

// What links make one: node -> its master. Chains end at one master: no master has a master.
std::map<std::int32_t, std::int32_t> joined_nodes(const std::vector<PeriodicLink> &links);
// The same with nodes of order 2 of edges and faces, where the mesh has them: they follow the
// vertices they lie between. `links`: between vertices.
std::map<std::int32_t, std::int32_t> joined_nodes(const Mesh &mesh,
                                                  const std::vector<PeriodicLink> &links);

} // namespace weft
