#include "mesh/order/blocks.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "mesh/statistics/block_statistics.h"
#include "support/mesh_files.h"

namespace weft {
namespace {

TEST(Blocks, LeavesAreFullButOneAndHoldEveryCellOnce) {
  for (const std::string cell : all_cells) {
    const Mesh mesh = mesh_of_box(box_spec(cell, {17, 13, 5}), 1, 32);
    const CellSet &set = mesh.sets[0];
    ASSERT_EQ(set.leaf_offset.front(), 0);
    ASSERT_EQ(set.leaf_offset.back(), set.num_cells());
    for (std::size_t b = 0; b + 2 < set.leaf_offset.size(); ++b)
      EXPECT_EQ(set.leaf_offset[b + 1] - set.leaf_offset[b], 32);
    std::vector<std::vector<std::int32_t>> cells;
    for (std::int64_t c = 0; c < set.num_cells(); ++c)
      cells.emplace_back(&set.nodes[c * set.nodes_per_cell],
                         &set.nodes[c * set.nodes_per_cell] + set.nodes_per_cell);
    std::sort(cells.begin(), cells.end());
    EXPECT_EQ(std::unique(cells.begin(), cells.end()), cells.end());
  }
}

TEST(Blocks, MergedLeavesAreCompact) {
  const Mesh mesh = mesh_of_box(box_spec("tetrahedron", {24, 24, 24}));
  double before = 2;
  for (int merged : {1, 2, 4, 8, 16, 32, 64}) {
    const BlockStatistics blocks = block_statistics(mesh, merged);
    const double fraction = blocks.shared_share(mesh);
    EXPECT_LT(fraction, before);
    before = fraction;
    // A cube of n cells, 6 to a box, touches about 6 (n/6)^(2/3) faces' nodes; a compact part
    // stays within twice that.
    const double boxes = 256.0 * merged / 6;
    const double side = std::cbrt(boxes) + 1;
    EXPECT_LT(blocks.largest_nodes, 2 * side * side * side) << merged;
  }
  EXPECT_EQ(block_statistics(mesh, 1 << 20).shared_nodes, 0);
}

TEST(Blocks, StatisticsByHand) {
  // A row of 4 squares in leaves of 2: the leaves share the 2 nodes between them.
  const Mesh mesh = mesh_of_box(box_spec("quadrilateral", {4, 1, 1}), 1, 2);
  const BlockStatistics blocks = block_statistics(mesh, 1);
  EXPECT_EQ(blocks.num_blocks, 2);
  EXPECT_EQ(blocks.shared_nodes, 2);
  EXPECT_EQ(blocks.block_nodes, 12);
  EXPECT_EQ(blocks.largest_nodes, 6);
  EXPECT_DOUBLE_EQ(blocks.shared_share(mesh), 0.2);
}

TEST(Blocks, OrderDoesNotDependOnTheThreads) {
  const BoxSpec box = box_spec("tetrahedron", {20, 20, 20});
  set_host_threads(1);
  const Mesh one = mesh_of_box(box);
  set_host_threads(3);
  const Mesh three = mesh_of_box(box);
  set_host_threads(0);
  EXPECT_EQ(one.sets[0].nodes, three.sets[0].nodes);
  const auto a = interior_facets(one), b = interior_facets(three);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_TRUE(a[i].minus.cell == b[i].minus.cell && a[i].plus.cell == b[i].plus.cell);
}

} // namespace
} // namespace weft
