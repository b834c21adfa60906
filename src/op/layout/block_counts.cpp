#include "op/layout/block_counts.h"

#include <algorithm>

namespace weft {

static_assert(1 << (num_block_levels - 1) == leaf_alignment);

namespace {

// Cells are visited leaf after leaf, so that a node is new to a block if the block is not that of
// the leaf which saw the node last.
class Walk {
public:
  Walk(const Mesh &mesh, const NodeMap &map)
      : mesh_(mesh), map_(map), first_leaf_(first_leaves(mesh)), last_(map.num_local, -1),
        shared_(map.num_local, 0) {
    result_.blocks.resize(mesh.sets.size());
    result_.nodes.resize(mesh.sets.size(), 0);
  }
  NodeCounts count() {
    for (std::size_t s = 0; s < mesh_.sets.size(); ++s)
      walk_set(s);
    count_inner();
    return result_;
  }

private:
  void walk_set(std::size_t s);
  void count_inner();

  const Mesh &mesh_;
  const NodeMap &map_;
  const std::vector<std::int64_t> first_leaf_; // [set], multiples of leaf_alignment
  std::vector<std::int32_t> last_;             // [node]: leaf that saw it last
  std::vector<std::uint8_t> shared_;           // [node]: bit m: in several blocks of 2^m leaves
  NodeCounts result_;
};

void Walk::walk_set(std::size_t s) {
  const CellSet &cells = mesh_.sets[s];
  const NodeMapSet &map = map_.sets[s];
  const int num_nodes = map.element.num_nodes();
  std::array<std::vector<std::int64_t>, num_block_levels> nodes; // [level][block of the set]
  const std::int64_t leaves = static_cast<std::int64_t>(cells.leaf_offset.size()) - 1;
  for (int m = 0; m < num_block_levels; ++m)
    nodes[m].assign((leaves >> m) + 1, 0);
  const auto first = static_cast<std::int32_t>(first_leaf_[s]);
  for (std::int32_t leaf = 0; leaf < leaves; ++leaf) {
    const std::int32_t own = first + leaf;
    for (std::int64_t i = cells.leaf_offset[leaf] * num_nodes;
         i < cells.leaf_offset[leaf + 1] * num_nodes; ++i) {
      const std::int32_t node = map.nodes[i];
      const std::int32_t last = last_[node];
      if (last == own)
        continue;
      last_[node] = own;
      if (last < first)
        ++result_.nodes[s];
      for (int m = 0; m < num_block_levels && (last < 0 || last >> m != own >> m); ++m) {
        ++nodes[m][leaf >> m];
        if (last >= 0)
          shared_[node] |= static_cast<std::uint8_t>(1 << m);
      }
    }
  }
  for (int m = 0; m < num_block_levels; ++m)
    for (const std::int64_t count : nodes[m]) {
      BlockNodeCounts &blocks = result_.blocks[s][m];
      blocks.shared += count; // inner ones are taken off in the end
      blocks.largest = std::max(blocks.largest, count);
    }
}

void Walk::count_inner() {
  for (std::size_t node = 0; node < last_.size(); ++node) {
    if (last_[node] < 0)
      continue;
    ++result_.all_nodes;
    std::size_t s = mesh_.sets.size() - 1;
    while (last_[node] < first_leaf_[s])
      --s;
    for (int m = 0; m < num_block_levels; ++m)
      if (shared_[node] >> m & 1) {
        ++result_.shared_nodes[m];
      } else {
        ++result_.blocks[s][m].inner;
        --result_.blocks[s][m].shared;
      }
  }
}

} // namespace

NodeCounts count_nodes(const Mesh &mesh, const NodeMap &map) {
  return Walk(mesh, map).count();
}

BlockGroupCounts count_block_groups(const CellSet &set, int leaves, int lanes) {
  const std::int64_t num_leaves = static_cast<std::int64_t>(set.leaf_offset.size()) - 1;
  BlockGroupCounts counts;
  for (std::int64_t first = 0; first < num_leaves; first += leaves) {
    const std::int64_t cells =
        set.leaf_offset[std::min(num_leaves, first + leaves)] - set.leaf_offset[first];
    const std::int64_t groups = (cells + lanes - 1) / lanes;
    ++counts.blocks;
    counts.groups += groups;
    counts.padded_blocks += cells % lanes != 0 ? 1 : 0;
    counts.most_groups = std::max(counts.most_groups, groups);
  }
  return counts;
}

} // namespace weft
