// Small meshes for the tests, and a folder for them that is gone afterwards.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/error.h"
#include "mesh/make/make_mesh.h"

namespace weft {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weft-mesh-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  std::string file(const std::string &name) const { return (path_ / name).string(); }
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }

private:
  std::filesystem::path path_;
};

inline Mesh mesh_of_file(const std::string &file, int order = 1) {
  MeshSpec spec;
  spec.file = file;
  spec.order = order;
  Timings timings;
  return make_mesh(spec, timings);
}

inline BoxSpec box_spec(const std::string &cell, std::array<int, 3> cells) {
  BoxSpec box;
  box.cell = cell;
  box.dim = dimension(cell_type_from_name(cell));
  box.cells = cells;
  return box;
}

inline Mesh mesh_of_box(const BoxSpec &box, int order = 1, int leaf_cells = 256) {
  MeshSpec spec;
  spec.box = box;
  spec.order = order;
  spec.leaf_cells = leaf_cells;
  Timings timings;
  return make_mesh(spec, timings);
}

inline const char *const all_cells[] = {"triangle", "quadrilateral", "tetrahedron",
                                        "pyramid",  "prism",         "hexahedron"};

// Runs body, which must throw an Error of that kind whose text has all the given parts.
template <typename Body>
void expect_error(ErrorKind kind, const std::vector<std::string> &parts, const Body &body) {
  try {
    body();
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    for (const auto &part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "no '" << part << "' in: " << error.what();
  }
}

// Two triangles of a unit square in two regions, a named boundary line, a named point.
inline const std::string square_msh2 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
4
0 9 "corner"
1 5 "bottom"
2 1 "lower"
2 2 "upper"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
4
1 15 2 9 1 1
2 1 2 5 1 1 2
3 2 2 1 1 1 2 3
4 2 2 2 2 1 3 4
$EndElements
)";

inline const std::string square_msh4 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
4
0 9 "corner"
1 5 "bottom"
2 1 "lower"
2 2 "upper"
$EndPhysicalNames
$Entities
1 1 2 0
1 0 0 0 1 9
1 0 0 0 1 0 0 1 5 0
1 0 0 0 1 1 0 1 1 1 1
2 0 0 0 1 1 0 1 2 0
$EndEntities
$Nodes
1 4 1 4
2 1 0 4
1
2
3
4
0 0 0
1 0 0
1 1 0
0 1 0
$EndNodes
$Elements
4 4 1 4
0 1 15 1
1 1
1 1 1 1
2 1 2
2 1 2 1
3 1 2 3
2 2 2 1
4 1 3 4
$EndElements
)";

} // namespace weft
