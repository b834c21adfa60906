// What a mesh is, as hashes that depend neither on parts nor on the order of cells in memory: sums
// of what each cell is by itself, with its canonical number.
#pragma once

#include <string>

#include "mesh/mesh.h"
#include "ranks/communicator.h"

namespace weft {

// All: of cells, places of their nodes, regions and groups of facets.
std::string mesh_hash(const Mesh &mesh, Communicator *ranks);

// All: of how many cells of each type there are, and which vertices each has.
std::string connectivity_hash(const Mesh &mesh, Communicator *ranks);

} // namespace weft
