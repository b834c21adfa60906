// Cells shared out among ranks.
#include "mesh/parts/partition_mesh.h"

#include <gtest/gtest.h>

#include "mesh/make/make_mesh.h"
#include "support/mesh_files.h"
#include "support/mixed_mesh_3d.h"

namespace weft {
namespace {

TEST(PartitionMesh, BalancesCosts) {
  const TemporaryFolder folder;
  MeshSpec spec;
  spec.file = folder.write("mixed.msh", mixed_mesh_3d_text(1));
  spec.refine = 3;
  Timings timings;
  const Mesh mesh = make_mesh(spec, timings);
  const CellGraph graph = make_cell_graph(mesh);
  std::vector<double> cost;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s)
    cost.push_back(1.0 + 2.0 * double(s));
  for (const int parts : {2, 3, 8}) {
    const std::vector<std::int32_t> part = partition_mesh(graph, cost, parts);
    std::vector<double> sums(parts, 0.0);
    double all = 0;
    for (std::size_t s = 0; s < mesh.sets.size(); ++s)
      for (std::int64_t c = graph.first_cell[s]; c < graph.first_cell[s + 1]; ++c) {
        sums[part[c]] += cost[s];
        all += cost[s];
      }
    EXPECT_LT(*std::max_element(sums.begin(), sums.end()), 1.06 * all / parts) << parts;
    EXPECT_EQ(part, partition_mesh(graph, cost, parts));
  }
}

} // namespace
} // namespace weft
