// Boundary facets made one by periodicity.
#pragma once

#include <vector>

#include "mesh/mesh.h"

namespace weft {

// Pairs of boundary facets of which one is the other moved by a translation that the periodic
// vertices give; each facet once, as minus (the first in Mesh::facets) or plus.
// Error (input): facets whose vertices all are periodic and that face the other side of the mesh
// nowhere, where others of their group do: how many, and where the first is.
std::vector<Facet> periodic_facets(const Mesh &mesh);

} // namespace weft
