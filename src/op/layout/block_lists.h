// What the work-group form of the block strategy needs beside a block plan: for each pass over a
// block's cells, which contributions are summed into each node. Layouts: block_group_arguments.h.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/cell/block_group_arguments.h"
#include "op/layout/block_plan.h"

namespace weft {

struct BlockLists {
  std::vector<std::int32_t> passes;              // [block, pass, family, entry]
  std::vector<std::vector<std::uint16_t>> lists; // [family]; empty where not asked for
};

// Lane groups of the largest block.
int most_groups_a_block(const BlockPlan &plan, int num_families);

// Reorders the plan's node numbers within each block to [node][lane group][lane], where lanes
// without a cell repeat the first lane's cell, and makes the lists. `num_nodes`: of a cell, by
// family; `wanted`: families of test functions.
BlockLists make_block_lists(BlockPlan &plan, const std::vector<int> &num_nodes,
                            const std::vector<bool> &wanted, const BlockGroupSizes &sizes);

// What lists of all blocks would hold, without making them.
struct BlockListCounts {
  std::int64_t nodes = 0; // that a pass contributes to, of all passes
  std::int64_t bytes = 0; // of lists that are not empty
};
// Counts the lists of a family with `num_nodes` nodes in all, for blocks of `leaves` leaves.
BlockListCounts count_block_lists(const CellSet &cells, const NodeMapSet &map,
                                  std::int64_t num_nodes, int leaves, int lanes,
                                  const BlockGroupSizes &sizes);

// Sizes for blocks of at most `most_groups` lane groups, in at most `local_bytes` of local memory:
// nodal values are staged where that leaves room for the element vectors of 64 cells or of the
// whole block. Throws `unsupported` where not even one lane group fits.
BlockGroupSizes choose_block_group(std::int64_t stage_bytes, std::int64_t row_bytes_a_cell,
                                   int most_groups, int lanes, int threads,
                                   std::int64_t local_bytes);

} // namespace weft
