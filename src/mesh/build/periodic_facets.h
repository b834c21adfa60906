// Boundary facets made one by periodicity.
#pragma once

#include <vector>

#include "mesh/mesh.h"

namespace weft {

// Whether all boundary facets that periodicity joins are in a mesh, or those of other parts may be
// missing.
enum class Partners { all, some };

// Pairs of boundary facets of which one is the other moved by a translation that the periodic
// vertices give; each facet once, as minus (the first in Mesh::facets) or plus.
// Error (input): facets whose vertices all are periodic and that face the other side of the mesh
// nowhere, where others of their group do: how many, and where the first is. Not where some are
// missing.
std::vector<Facet> periodic_facets(const Mesh &mesh, Partners partners = Partners::all);

} // namespace weft
