// Hashes of meshes: the same on any number of ranks and in any blocks, others for another mesh.
#include "output/mesh_identity.h"

#include <atomic>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mesh/make/distribute_mesh.h"
#include "ranks/thread_ranks.h"
#include "support/case_text.h"
#include "support/mixed_mesh.h"
#include "support/mixed_mesh_3d.h"
#include "support/row_mesh.h"

namespace weft {
namespace {

struct Hashes {
  std::string mesh, connectivity;
  bool operator==(const Hashes &) const = default;
};

Hashes hashes_alone(const MeshSpec &spec) {
  Timings timings;
  const Mesh mesh = make_mesh(spec, timings);
  return {mesh_hash(mesh, nullptr), connectivity_hash(mesh, nullptr)};
}

// Two triangles of a square, cut along one diagonal or the other.
std::string square_text(const std::string &triangles) {
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n"
         "$EndNodes\n$Elements\n2\n" +
         triangles + "$EndElements\n";
}

MeshSpec spec_of(const std::string &file) {
  MeshSpec spec;
  spec.file = file;
  return spec;
}

TEST(MeshIdentity, KnowsNeitherRanksNorBlocks) {
  const CaseFolder folder;
  std::vector<MeshSpec> specs(5);
  specs[0].file = folder.write("mixed.msh", mixed_mesh_text(20));
  specs[0].refine = 1;
  specs[1].file = folder.write("mixed_3d.msh", mixed_mesh_3d_text(4));
  specs[1].order = 2;
  specs[2].box = BoxSpec{.dim = 2, .cells = {8, 7, 1}, .cell = "triangle"};
  specs[2].box->periodic = {true, false, false};
  specs[2].refine = 1;
  specs[3].file = folder.write("row.msh", row_text(12));
  specs[4].box = BoxSpec{.dim = 2, .cells = {2, 1, 1}, .cell = "quadrilateral"};
  for (MeshSpec &spec : specs) {
    const Hashes alone = hashes_alone(spec);
    spec.leaf_cells = 4;
    EXPECT_EQ(hashes_alone(spec), alone);
    for (const int size : {1, 2, 3, 5}) {
      std::atomic<int> same = 0;
      run_thread_ranks(size, [&](Communicator &ranks) {
        Timings timings;
        const Mesh mesh = distribute_mesh(
            spec, ranks, [](CellType) { return 1.0; }, timings);
        const Hashes here = {mesh_hash(mesh, &ranks), connectivity_hash(mesh, &ranks)};
        same += here == alone ? 1 : 0;
      });
      EXPECT_EQ(same, size);
    }
  }
}

TEST(MeshIdentity, IsOfAllThatAMeshIs) {
  const CaseFolder folder;
  const auto hashes_of_text = [&](const std::string &text) {
    return hashes_alone(spec_of(folder.write("mesh.msh", text)));
  };
  const auto replaced = [](std::string text, const std::string &old, const std::string &by) {
    EXPECT_NE(text.find(old), std::string::npos) << old;
    return text.replace(text.find(old), old.size(), by);
  };
  const std::string strip = mixed_mesh_text(6), row = row_text(6);
  const Hashes of_strip = hashes_of_text(strip), of_row = hashes_of_text(row);
  const std::pair<std::string, Hashes> changed[] = {
      {replaced(strip, "\"soft\"", "\"sofa\""), of_strip},
      {replaced(strip, "\"x1\"", "\"x2\""), of_strip},
      {replaced(strip, "\n2 0.166667 0.02", "\n2 0.166667 0.021"), of_strip},
      {replaced(row, "between", "amidst"), of_row},
      {replaced(row, "7 1 2 1", "7 1 2 3"), of_row}, // a line of another group
  };
  for (const auto &[text, before] : changed) {
    const Hashes after = hashes_of_text(text);
    EXPECT_NE(after.mesh, before.mesh) << text;
    EXPECT_EQ(after.connectivity, before.connectivity) << text;
  }
}

// Other cells, and the same ones in another order or turned.
TEST(MeshIdentity, IsOfTheCellsAndTheirOrder) {
  const CaseFolder folder;
  std::map<std::string, int> meshes, connectivities;
  for (const char *triangles :
       {"1 2 2 1 1 1 2 3\n2 2 2 1 1 1 3 4\n", "1 2 2 1 1 1 2 4\n2 2 2 1 1 2 3 4\n",
        "1 2 2 1 1 1 3 4\n2 2 2 1 1 1 2 3\n", "1 2 2 1 1 2 3 1\n2 2 2 1 1 1 3 4\n"}) {
    const Hashes hashes = hashes_alone(spec_of(folder.write("m.msh", square_text(triangles))));
    ++meshes[hashes.mesh];
    ++connectivities[hashes.connectivity];
  }
  EXPECT_EQ(meshes.size(), 4u);
  EXPECT_EQ(connectivities.size(), 4u);
}

} // namespace
} // namespace weft
