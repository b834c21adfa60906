// Meshing geometry files with the gmsh program, as a separate process, once for each geometry.
#pragma once

#include <optional>
#include <string>

#include "base/system/file_cache.h"
#include "mesh/gmsh/gmsh_source.h"

namespace weft {

// .geo, .step, .stp (in any case).
bool is_geometry_file(const std::string &path);

// Meshes of geometries that are kept between runs, in cache_folder("meshes"). A damaged one counts
// as absent; beyond 8 GB the longest unused are removed.
FileCache mesh_cache();

struct GeometryMeshing {
  int order = 1;              // of the geometry, 1 or 2
  std::optional<double> size; // no cell is larger, in the file's units
  bool trust = false;         // the geometry may run programs and write files
  double timeout_s = 3600;    // gmsh is ended after that
};

// The bytes of a binary MSH 4.1 mesh of the geometry. It is kept in mesh_cache() under a hash of
// the geometry's text and of all files it includes or merges, of the options and of gmsh's version;
// gmsh runs only when it is not there. Without trust scripts are looked at first
// (geometry_files.h), and gmsh reads copies of what was looked at, confined (run_gmsh.h); also
// where the mesh is kept. Errors: input (no such file; it may not be run without trust; gmsh finds
// fault with it, its last lines are shown), system (gmsh not installed, no room for its files, not
// done in time).
GmshSource mesh_geometry(const std::string &path, const GeometryMeshing &how = {});

} // namespace weft
