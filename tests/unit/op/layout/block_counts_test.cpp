// Counts of the nodes of blocks, against plans made in full.
#include "op/layout/block_counts.h"

#include <gtest/gtest.h>
#include <set>

#include "kernel/text/block_layout.h"
#include "op/layout/block_plan.h"
#include "support/discrete_problem.h"

namespace weft {
namespace {

Mesh box(const std::string &cell, int leaf_cells) {
  MeshSpec spec;
  spec.box = BoxSpec{.dim = dimension(cell_type_from_name(cell)),
                     .cells = {9, 8, is_flat(cell) ? 1 : 7},
                     .cell = cell,
                     .distort = 0.2};
  spec.leaf_cells = leaf_cells;
  Timings timings;
  return make_mesh(spec, timings);
}

// The cells of a mesh of one set in two.
Mesh in_two_sets(Mesh mesh) {
  CellSet &first = mesh.sets[0];
  CellSet second = first;
  const std::int64_t leaf = static_cast<std::int64_t>(first.leaf_offset.size()) / 3;
  const std::int64_t cell = first.leaf_offset[leaf];
  second.nodes.erase(second.nodes.begin(), second.nodes.begin() + cell * second.nodes_per_cell);
  second.region.erase(second.region.begin(), second.region.begin() + cell);
  second.leaf_offset.erase(second.leaf_offset.begin(), second.leaf_offset.begin() + leaf);
  for (std::int64_t &offset : second.leaf_offset)
    offset -= cell;
  first.nodes.resize(cell * first.nodes_per_cell);
  first.region.resize(cell);
  first.leaf_offset.resize(leaf + 1);
  mesh.sets.push_back(second);
  return mesh;
}

void compare_with_plans(const Mesh &mesh, int order) {
  const NodeMap map = make_node_map(mesh, order);
  const NodeCounts counts = count_nodes(mesh, map);
  for (int level = 0; level < num_block_levels; ++level) {
    const int leaves = 1 << level;
    const NodeOwners owners = node_owners(mesh, map, leaves);
    EXPECT_EQ(counts.shared_nodes[level], std::count(owners.begin(), owners.end(), -2));
    EXPECT_EQ(counts.all_nodes, std::count_if(owners.begin(), owners.end(),
                                              [](std::int32_t owner) { return owner != -1; }));
    for (std::size_t s = 0; s < mesh.sets.size(); ++s)
      for (const int lanes : {1, 4, 8}) {
        const BlockPlan plan =
            make_block_plan(mesh, static_cast<int>(s), {&map}, {&owners}, leaves, lanes);
        std::int64_t inner = 0, largest = 0;
        for (int b = 0; b < plan.num_blocks; ++b) {
          const std::int32_t *row =
              &plan.blocks[static_cast<std::size_t>(b) * block_row_entries(1) + block_head_entries];
          inner += row[1];
          largest = std::max<std::int64_t>(largest, row[1] + row[3]);
        }
        const BlockNodeCounts &found = counts.blocks[s][level];
        EXPECT_EQ(found.inner, inner);
        EXPECT_EQ(found.shared, static_cast<std::int64_t>(plan.shared[0].size()));
        EXPECT_EQ(found.largest, largest);
        const BlockGroupCounts groups = count_block_groups(mesh.sets[s], leaves, lanes);
        EXPECT_EQ(groups.blocks, plan.num_blocks);
        EXPECT_EQ(groups.groups, plan.groups.num_groups());
        EXPECT_LE(groups.padded_blocks, groups.blocks);
      }
  }
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    const std::set<std::int32_t> nodes(map.sets[s].nodes.begin(), map.sets[s].nodes.end());
    EXPECT_EQ(counts.nodes[s], static_cast<std::int64_t>(nodes.size()));
  }
}

TEST(BlockCounts, AreThoseOfThePlansOfEveryMerge) {
  for (const int order : {1, 2}) {
    SCOPED_TRACE(order);
    compare_with_plans(box("tetrahedron", 16), order);
    compare_with_plans(box("hexahedron", 16), order);
    compare_with_plans(box("triangle", 2), order);
  }
}

TEST(BlockCounts, BlocksDoNotReachOverSets) {
  for (const int order : {1, 2})
    compare_with_plans(in_two_sets(box("tetrahedron", 16)), order);
}

TEST(BlockCounts, LanesWithoutACellAreCounted) {
  CellSet set;
  set.leaf_offset = {0, 16, 32, 48, 53};
  const BlockGroupCounts one = count_block_groups(set, 1, 8);
  EXPECT_EQ(one.blocks, 4);
  EXPECT_EQ(one.groups, 7);
  EXPECT_EQ(one.padded_blocks, 1);
  EXPECT_EQ(one.most_groups, 2);
  const BlockGroupCounts two = count_block_groups(set, 2, 8);
  EXPECT_EQ(two.blocks, 2);
  EXPECT_EQ(two.groups, 7);
  EXPECT_EQ(two.most_groups, 4);
}

} // namespace
} // namespace weft
