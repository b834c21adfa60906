// Writing a mesh as a Gmsh file.
#pragma once

#include <string>

#include "mesh/mesh.h"

namespace weft {

// MSH 4.1, binary or ASCII: nodes, cells with their regions, facets and points with their groups,
// periodic nodes. Facets without a group are left out, and
// named curves of 3D meshes. Written beside and renamed.
// Throws a system error when the file cannot be written.
void write_gmsh(const Mesh &mesh, const std::string &path, bool binary);

} // namespace weft
