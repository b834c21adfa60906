// A geometry with the files that it includes or merges.
#pragma once

#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "base/host_array.h"

namespace weft {

struct GeometryFile {
  std::filesystem::path path;
  HostArray<char> content;
  bool script = false;   // in Gmsh's language
  std::string copy;      // name of what gmsh gets in its place; empty where it gets the file itself
  std::string copy_text; // of scripts
};

// Tokens stay views of a content while files are added.
static_assert(std::is_nothrow_move_constructible_v<GeometryFile>);

struct GeometryFiles {
  std::vector<GeometryFile> files; // the first is the geometry itself
  std::vector<std::string>
      ignored; // options of gmsh beside them (part.geo.opt), which are not read
  // All that the mesh depends on as one text.
  std::string text() const;
};

// Without trust: looks at every script (geo_check.h) and at the beginning of other files, and names
// the copies. With trust: finds the files, as far as they are named in quotes, and gmsh's options
// beside them. Errors: input (no such file, no regular file, a kind of file that is not read, what
// check_geo() finds).
GeometryFiles read_geometry(const std::string &path, bool trust);

// Writes the copies into a folder.
void write_copies(const GeometryFiles &geometry, const std::filesystem::path &folder);

} // namespace weft
