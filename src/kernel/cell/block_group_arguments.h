// The arguments of the block strategy's work-group form, and the functions through which the
// work-items of a group share a block.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/cell/cell_arguments.h"
#include "kernel/cell/cell_integral.h"

namespace weft {

// How a work-group does a block; the same for all blocks of a cell set and all kinds of integral.
struct BlockGroupSizes {
  int threads = 128;   // work-items a group
  int pass_groups = 1; // lane groups whose element vectors local memory holds at once
  int num_passes = 1;  // of the largest block
  bool staged = true;  // nodal values are copied to local memory; otherwise read where they are
};

// Entries of the table of passes, [block, pass, family, entry]: where the list of the pass begins,
// its number of nodes, and its number of columns. A list (16-bit numbers) is
//   nodes[num_nodes]       nodes of the block that the pass contributes to, those with most
//                          contributions first
//   columns[columns + 1]   where each column of entries begins
//   entries                [column, node]: the j-th contribution to each node that has so many, as
//                          node of the cell * slots + slot, slots = pass_groups * lanes
// so that consecutive work-items, a node each, read consecutive entries.
inline constexpr int block_pass_entries = 3;

// Reals of the stage: component after component, each with room for the block's nodes.
std::int64_t num_stage_reals(const CellIntegral &integral, const std::vector<int> &stage_nodes);

// Prints, beside WEFT_ARGUMENTS and WEFT_NAMES,
//   weft_stage_load(stage, row, ...)            nodal values into local memory; where sums take
//                                               several passes, clears them
//   weft_load_cell(cell, group, stage, row, ...) a lane group's nodal values
//   weft_store_vectors(vectors, g, r)           element vectors of the pass's lane group g
//   weft_sum_vectors(vectors, pass, row, ...)   sums for each node, into result and interface
// Element vectors lie [field][component][node][slot], so that an entry of a list is a distance.
// Node numbers of the cells (u16) lie [block][node][lane group][lane].
CellArguments print_block_group_arguments(const CellIntegral &integral,
                                          const BlockGroupSizes &sizes,
                                          const std::vector<int> &stage_nodes);

} // namespace weft
