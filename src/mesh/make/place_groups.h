// Groups of [mesh] groups: parts of a mesh that get names by where they are.
#pragma once

#include "case/mesh_spec.h"
#include "mesh/mesh.h"
#include "mesh/raw_mesh.h"

namespace weft {

// Names what spec.groups describes, as if the mesh's file had done so: cells get further groups,
// facets, edges and points become elements of `raw` (of lower dimension, as assemble_cells() leaves
// them). Errors (input): a name that the mesh has already, a condition that no cell, facet or edge
// fulfils, a point that is far from every vertex, edges in two dimensions, unknown regions.
void add_place_groups(const MeshSpec &spec, Mesh &mesh, RawMesh &raw);

// How far a named point may be from the nearest vertex, as a fraction of the mesh's diagonal.
inline constexpr double point_tolerance = 0.01;

} // namespace weft
