// Nodes that several ranks have.
#pragma once

#include "mesh/mesh.h"
#include "ranks/halo_places.h"
#include "space/node_map.h"

namespace weft {

// All: which own nodes of a continuous numbering others read, and whose the ghosts are; places are
// node numbers. `mesh`: a part, the map's.
HaloPlaces shared_nodes(const Mesh &mesh, const NodeMap &map, Communicator &ranks);

} // namespace weft
