#include "mesh/statistics/block_statistics.h"

#include <algorithm>
#include <limits>

namespace weft {

BlockStatistics block_statistics(const Mesh &mesh, int merged) {
  BlockStatistics result;
  result.merged = merged;
  result.smallest_cells = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t none = -1;
  std::vector<std::int64_t> last_block(mesh.num_nodes(), none); // that a node was seen in
  std::vector<bool> shared(mesh.num_nodes(), false);
  for (const auto &set : mesh.sets) {
    const std::int64_t leaves = static_cast<std::int64_t>(set.leaf_offset.size()) - 1;
    for (std::int64_t leaf = 0; leaf < leaves; leaf += merged) {
      const std::int64_t begin = set.leaf_offset[leaf];
      const std::int64_t end = set.leaf_offset[std::min<std::int64_t>(leaf + merged, leaves)];
      const std::int64_t block = result.num_blocks++;
      std::int64_t nodes = 0;
      for (std::int64_t i = begin * set.nodes_per_cell; i < end * set.nodes_per_cell; ++i) {
        const std::int32_t node = set.nodes[i];
        if (last_block[node] == block)
          continue;
        if (last_block[node] != none)
          shared[node] = true;
        last_block[node] = block;
        ++nodes;
      }
      result.smallest_cells = std::min(result.smallest_cells, end - begin);
      result.largest_cells = std::max(result.largest_cells, end - begin);
      result.largest_nodes = std::max(result.largest_nodes, nodes);
      result.block_nodes += nodes;
    }
  }
  result.shared_nodes = std::count(shared.begin(), shared.end(), true);
  return result;
}

} // namespace weft
