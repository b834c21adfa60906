// Meshing geometry files with the gmsh program, as a separate process, once for each geometry.
#pragma once

#include <optional>
#include <string>

namespace weft {

// .geo, .step, .stp (in any case).
bool is_geometry_file(const std::string &path);

// The path of a binary MSH 4.1 mesh of the geometry, of order 1 or 2, with cells no larger than
// `size` (in the file's units) where given. It lies in $XDG_CACHE_HOME/weft/meshes (~/.cache
// without), under a hash of the geometry's text and of all files it includes or merges, of the
// options and of gmsh's version; gmsh runs only when it is not there yet.
// Errors: input (no such file; gmsh finds fault with it, its last lines are shown), system (gmsh
// not installed, cache folder not writable).
std::string mesh_geometry(const std::string &path, int order, std::optional<double> size);

} // namespace weft
