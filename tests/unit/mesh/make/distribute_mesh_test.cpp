// Parts handed out to ranks: they are those that are cut from the whole, and errors reach all.
#include "mesh/make/distribute_mesh.h"

#include <atomic>

#include <gtest/gtest.h>

#include "mesh/parts/mesh_bytes.h"
#include "mesh/parts/mesh_parts.h"
#include "ranks/thread_ranks.h"
#include "support/mesh_files.h"
#include "support/mixed_mesh_3d.h"

namespace weft {
namespace {

double nodes_of(CellType type) {
  return num_vertices(type);
}

TEST(DistributeMesh, HandsOutThePartsOfTheWhole) {
  const TemporaryFolder folder;
  std::vector<MeshSpec> specs(3);
  specs[0].file = folder.write("mixed.msh", mixed_mesh_3d_text(4));
  specs[0].refine = 1;
  specs[1].box = box_spec("triangle", {6, 5, 1});
  specs[1].box->periodic = {true, false, false};
  specs[1].order = 2;
  specs[2].box = box_spec("quadrilateral", {2, 1, 1}); // fewer cells than ranks
  for (const MeshSpec &spec : specs) {
    Timings timings;
    const Mesh whole = make_whole_mesh(spec, timings);
    const CellGraph graph = make_cell_graph(whole);
    std::vector<double> cost;
    for (const CellSet &set : whole.sets)
      cost.push_back(nodes_of(set.type));
    for (const int size : {1, 3, 5}) {
      const MeshParts parts(whole, graph, partition_mesh(graph, cost, size), size);
      std::atomic<int> wrong = 0;
      run_thread_ranks(size, [&](Communicator &ranks) {
        Timings own;
        const Mesh part = distribute_mesh(spec, ranks, nodes_of, own);
        wrong +=
            mesh_to_bytes(part) == mesh_to_bytes(parts.part(ranks.rank(), spec.leaf_cells)) ? 0 : 1;
      });
      EXPECT_EQ(wrong, 0) << size;
    }
  }
}

TEST(DistributeMesh, AnErrorOfTheFirstRankIsThatOfAll) {
  MeshSpec spec;
  spec.file = "/nonexistent/mesh.msh";
  std::atomic<int> told = 0;
  run_thread_ranks(3, [&](Communicator &ranks) {
    Timings timings;
    try {
      distribute_mesh(spec, ranks, nodes_of, timings);
    } catch (const Error &error) {
      told += error.kind() == ErrorKind::input || error.kind() == ErrorKind::system ? 1 : 0;
    }
  });
  EXPECT_EQ(told, 3);
}

// Every member comes back.
TEST(MeshBytes, GiveTheMeshBack) {
  const TemporaryFolder folder;
  const Mesh mesh = mesh_of_file(folder.write("mixed.msh", mixed_mesh_3d_text(2)));
  const Mesh back = mesh_from_bytes(mesh_to_bytes(mesh));
  EXPECT_EQ(back.dim, mesh.dim);
  EXPECT_EQ(back.coordinates, mesh.coordinates);
  ASSERT_EQ(back.sets.size(), mesh.sets.size());
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    EXPECT_EQ(back.sets[s].type, mesh.sets[s].type);
    EXPECT_EQ(back.sets[s].nodes, mesh.sets[s].nodes);
    EXPECT_EQ(back.sets[s].region, mesh.sets[s].region);
    EXPECT_EQ(back.sets[s].leaf_offset, mesh.sets[s].leaf_offset);
    EXPECT_EQ(back.sets[s].canonical, mesh.sets[s].canonical);
  }
  EXPECT_EQ(back.facets.size(), mesh.facets.size());
  EXPECT_EQ(back.num_boundary_facets, mesh.num_boundary_facets);
  EXPECT_EQ(back.region_names(), mesh.region_names());
  EXPECT_EQ(back.facet_group_names(), mesh.facet_group_names());
  EXPECT_FALSE(back.share);
  const std::vector<std::byte> bytes = mesh_to_bytes(mesh);
  EXPECT_THROW(mesh_from_bytes(std::span(bytes).first(bytes.size() / 2)), Error);
}

} // namespace
} // namespace weft
