// How many nodes blocks have, inside and shared, for every merge of leaves at once: what a plan of
// each would hold, without making one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "space/node_map.h"

namespace weft {

// Counts of one cell set, for one number of leaves a block.
struct BlockNodeCounts {
  std::int64_t inner = 0;   // nodes of one block only
  std::int64_t shared = 0;  // nodes of several blocks, once for each
  std::int64_t largest = 0; // nodes of the block that has most
};

// Merges of 1, 2, 4, ... leaves up to leaf_alignment.
inline constexpr int num_block_levels = 7;

// Counts of one node map.
struct NodeCounts {
  std::vector<std::array<BlockNodeCounts, num_block_levels>> blocks; // [set][log2 of leaves]
  std::vector<std::int64_t> nodes;                                   // [set]: that its cells have
  std::int64_t all_nodes = 0; // that cells of any set have, each once
  std::array<std::int64_t, num_block_levels> shared_nodes{}; // of all sets, each once
};

// Takes one walk over the cells.
NodeCounts count_nodes(const Mesh &mesh, const NodeMap &map);

// Counts of the cells of a set in blocks of `leaves` leaves, by their lane groups.
struct BlockGroupCounts {
  std::int64_t blocks = 0;
  std::int64_t groups = 0;        // lane groups
  std::int64_t padded_blocks = 0; // with lanes that have no cell
  std::int64_t most_groups = 0;   // of one block
};
BlockGroupCounts count_block_groups(const CellSet &set, int leaves, int lanes);

} // namespace weft
