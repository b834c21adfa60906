// How regular the accesses of a sum over neighbours are in a given order of the cells: blocks, what
// lies outside of them, and lines of a cache (Langguth, Wu, Chai and Cai 2013: the matrix of a
// finite volume method in ELLPACK, read line by line).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/order/cell_adjacency.h"

namespace weft {

struct BlockShare {
  std::int64_t num_blocks = 0;
  std::int64_t smallest_cells = 0, largest_cells = 0; // of a block
  std::int64_t entries = 0;                           // neighbours of all cells
  std::int64_t outside = 0;                           // of them, in another block than the cell
  // 0 to 1; 0 without entries.
  double outside_share() const {
    return entries > 0 ? static_cast<double>(outside) / static_cast<double>(entries) : 0;
  }
};
// `block_offset`: [block + 1], blocks of consecutive cells, as CellOrdering has them.
BlockShare block_share(const CellAdjacency &adjacency, std::span<const std::int64_t> block_offset);
// Blocks of `block_cells` consecutive cells each; the last may be smaller.
std::vector<std::int64_t> even_blocks(std::int64_t num_cells, std::int64_t block_cells);

// What a cell reads and through which cache: the defaults are the paper's, four values of 8 bytes,
// four numbers of 4 bytes and x of 8 bytes in lines of 32 bytes.
struct LineReads {
  int width = 4; // neighbours of a cell, at most
  int value_bytes = 8, index_bytes = 4;
  int line_bytes = 32;
  // A line of x that one of so many cells before has read is still in the cache. 512 cells of 64
  // bytes fill a first cache of 32 KiB.
  std::int64_t window_cells = 512;

  // Values and numbers, read one after the other: (32 + 16) / 32 = 1.5 lines a cell.
  double streamed_lines() const {
    return static_cast<double>(width * (value_bytes + index_bytes)) / line_bytes;
  }
  // All lines a cell at best, x read once as well: 1.75.
  double fewest_lines() const { return streamed_lines() + double(value_bytes) / line_bytes; }
  // At worst, each neighbour in a line of its own: 5.75.
  double most_lines() const { return fewest_lines() + width; }
};

// Lines a cell that the cells read in their order: streamed ones, and lines of x (the cell's own
// and its neighbours') that are not in the cache.
double line_accesses(const CellAdjacency &adjacency, const LineReads &reads);
// Lines of x alone: fewest_lines() - streamed_lines() at best.
double lines_of_x(const CellAdjacency &adjacency, const LineReads &reads);

// What line_accesses() is to be expected of an ideal matrix of blocks: the `width` neighbours of a
// cell are random cells of its block of `block_cells` consecutive cells.
double ideal_line_accesses(double block_cells, const LineReads &reads);
// The effective block size of an order: that of the ideal matrix with as many line accesses a cell,
// at most num_cells. Ideal matrices in blocks of window_cells or less all read the fewest lines, so
// that it is never less.
double effective_block_size(double line_accesses, std::int64_t num_cells, const LineReads &reads);

} // namespace weft
