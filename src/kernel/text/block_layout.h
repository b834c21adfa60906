// The table of blocks that the host fills and kernels of the block strategy read.
#pragma once

namespace weft {

// Entries of a row of the table of blocks: the block's first lane group and their number, then for
// each node family block_family_entries: first inner node, number of inner nodes, first entry in
// the family's list of shared nodes, number of shared nodes, first node in the coordinate image.
// Within a block nodes are numbered: inner ones, shared ones, then as many spare ones as a cell has
// nodes; lanes of the last group that have no cell use the spare nodes, whose coordinates are those
// of the block's first cell.
inline constexpr int block_head_entries = 2;
inline constexpr int block_family_entries = 5;
inline int block_row_entries(int num_families) {
  return block_head_entries + block_family_entries * num_families;
}

// What a block's 16-bit node numbers count: quarters of records where the room allows it, so that
// the address of a node's record (and of its sum) is one multiplication that loads do for free.
inline constexpr int node_unit(int stage_nodes) {
  return 4 * stage_nodes <= 65536 ? 4 : 1;
}

// Reals a node in the coordinate image: the coordinates, padded.
inline constexpr int image_reals = 4;

} // namespace weft
