// Meshes of a box.
#pragma once

#include "case/mesh_spec.h"
#include "mesh/raw_mesh.h"

namespace weft {

// Region "box", facet groups x0 x1 y0 y1 z0 z1 (the sides at the low and at the high end).
//
// A box cell is one quadrilateral or hexahedron, two triangles, two prisms (cut along z), six
// tetrahedra (Kuhn's) or six pyramids with a common apex in the middle; the cut is the same in
// every box cell, so that opposite sides fit for periodicity. `distort` moves every inner node by
// up to that share of a box cell, by a hash of its number: the same on every machine. Throws an
// input error for a spec that makes no sense, naming the key.
RawMesh make_box(const BoxSpec &spec);

} // namespace weft
