// Parts of meshes: together they are the whole, each has what its own cells and vertices need, and
// all agree on who owns what.
#include "mesh/parts/make_part.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mesh/make/make_mesh.h"
#include "support/cut_mesh.h"
#include "support/mesh_files.h"
#include "support/mixed_mesh_3d.h"
#include "support/parts_of_mesh.h"

namespace weft {
namespace {

Mesh make(const MeshSpec &spec) {
  Timings timings;
  return make_mesh(spec, timings);
}

MeshSpec box(const std::string &cell, bool flat, int order = 1,
             std::array<bool, 3> periodic = {false, false, false}) {
  MeshSpec spec;
  spec.order = order;
  spec.box = BoxSpec{.dim = flat ? 2 : 3,
                     .cells = flat ? std::array{12, 9, 1} : std::array{5, 4, 4},
                     .cell = cell,
                     .distort = 0.2,
                     .periodic = periodic};
  return spec;
}

void expect_parts(const Mesh &whole, int parts, const std::string &what) {
  expect_parts_of_mesh({whole, parts_of_mesh(whole, parts)}, what);
}

const int numbers_of_parts[] = {1, 2, 3, 5, 8};

TEST(MakePart, AreTheWholeOnAllCellTypes) {
  for (const auto &[cell, flat] : {std::pair("triangle", true), std::pair("quadrilateral", true),
                                   std::pair("tetrahedron", false), std::pair("hexahedron", false),
                                   std::pair("prism", false), std::pair("pyramid", false)})
    for (const int parts : numbers_of_parts)
      for (const int order : {1, 2})
        expect_parts(make(box(cell, flat, order)), parts,
                     fmt::format("{} order {} in {}", cell, order, parts));
}

TEST(MakePart, KnowPeriodicSides) {
  for (const int parts : numbers_of_parts) {
    expect_parts(make(box("quadrilateral", true, 1, {true, true, false})), parts,
                 fmt::format("quadrilaterals in {}", parts));
    expect_parts(make(box("tetrahedron", false, 2, {true, false, true})), parts,
                 fmt::format("tetrahedra in {}", parts));
  }
}

TEST(MakePart, KnowMixedCells) {
  const TemporaryFolder folder;
  for (const int refine : {0, 1}) {
    MeshSpec spec;
    spec.file = folder.write("mixed.msh", mixed_mesh_3d_text(1));
    spec.refine = refine;
    for (const int parts : numbers_of_parts)
      expect_parts(make(spec), parts, fmt::format("mixed, refined {}, in {}", refine, parts));
  }
}

TEST(MakePart, MayBeEmpty) {
  MeshSpec spec;
  spec.box = BoxSpec{.dim = 2, .cells = {2, 1, 1}, .cell = "quadrilateral"};
  const Mesh whole = make(spec);
  const std::vector<Mesh> parts = parts_of_mesh(whole, 5);
  expect_parts_of_mesh({whole, parts}, "two cells in five parts");
  int empty = 0;
  for (const Mesh &part : parts)
    empty += part.num_cells() == 0 ? 1 : 0;
  EXPECT_EQ(empty, 3);
}

} // namespace
} // namespace weft
