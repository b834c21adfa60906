// Straight geometry of order 2 from cells of order 1.
#pragma once

#include "mesh/mesh.h"

namespace weft {

// Adds the nodes of order 2 at the means of the vertices they depend on, each shared node once, and
// sets geometry_order to 2. The mesh's cells are of order 1.
void raise_order(Mesh &mesh);

} // namespace weft
