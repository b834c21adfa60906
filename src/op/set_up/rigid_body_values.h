// Motions of a body that change neither its size nor its shape.
#pragma once

#include <vector>

#include "ranks/communicator.h"
#include "space/node_map.h"

namespace weft {

// All: [own node, component, vector]: translations along each axis, then rotations in each plane
// about the mean of all nodes.
std::vector<double> rigid_body_values(const NodeMap &map, int dim, Communicator *ranks);

} // namespace weft
