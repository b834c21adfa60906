// Merged leaf blocks of a cell set as the kernels of the block strategy see them.
#pragma once

#include <cstdint>
#include <vector>

#include "op/layout/lane_groups.h"
#include "space/node_map.h"

namespace weft {

struct BlockPlan {
  LaneGroups groups;                // in the order of blocks
  std::vector<std::int32_t> blocks; // [block, kernel/text/block_layout.h]
  int num_blocks = 0;
  // By family:
  std::vector<HostArray<std::uint16_t>> nodes;   // [group, node, lane], numbers within the block
  std::vector<std::vector<std::int32_t>> shared; // shared nodes of all blocks, one after the other
  std::vector<int> stage_nodes;                  // room that the largest block needs, rounded up
};

// Which block each node is in: >= 0 the only one that touches it, -2 several or it is another
// rank's, -1 none. Blocks are counted over all sets.
using NodeOwners = std::vector<std::int32_t>;

// Room for the nodes of the largest block, spare ones with them: rounded up so that meshes of like
// sizes give the same kernel text.
int block_room(std::int64_t nodes);

// Number of merged blocks of each set.
std::vector<int> num_merged_blocks(const Mesh &mesh, int leaves_per_block);
NodeOwners node_owners(const Mesh &mesh, const NodeMap &map, int leaves_per_block);

// The plan of set `set`. `families`: the node maps of the integral's families, `owners` parallel to
// them. Throws an invariant error when a block has more than 65536 nodes (see choose_merge()).
BlockPlan make_block_plan(const Mesh &mesh, int set, const std::vector<const NodeMap *> &families,
                          const std::vector<const NodeOwners *> &owners, int leaves_per_block,
                          int lanes);

// The number of leaves to merge (a power of two): blocks of about `target_cells` cells, but at
// least `smallest_count` blocks where the mesh allows, no block with more nodes than 16 bits
// number.
int choose_merge(const Mesh &mesh, int nodes_per_cell, std::int64_t target_cells,
                 std::int64_t smallest_count);

} // namespace weft
