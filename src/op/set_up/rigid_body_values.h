// Motions of a body that change neither its size nor its shape.
#pragma once

#include <span>
#include <vector>

#include "ranks/communicator.h"

namespace weft {

// All: [own node, component, vector]: translations along each axis, then rotations in each plane
// about the mean of all nodes. `coordinates`: [own node, direction].
std::vector<double> rigid_body_values(std::span<const double> coordinates, int dim,
                                      Communicator *ranks);

} // namespace weft
