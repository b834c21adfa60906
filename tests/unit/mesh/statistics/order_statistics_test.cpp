// Figures of orders of cells by hand, at their bounds, and against closed formulas.
#include "mesh/statistics/order_statistics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace weft {
namespace {

// A ring in which cell c and cell c + stride are neighbours.
CellAdjacency ring(int cells, int stride) {
  CellAdjacency adjacency;
  for (int c = 0; c < cells; ++c) {
    adjacency.neighbours.push_back((c + cells - stride) % cells);
    adjacency.neighbours.push_back((c + stride) % cells);
    adjacency.offset.push_back(static_cast<std::int64_t>(adjacency.neighbours.size()));
  }
  return adjacency;
}

// Four random cells of the same block for each cell.
CellAdjacency random_blocks(int cells, int block) {
  std::mt19937_64 random(7);
  CellAdjacency adjacency;
  for (int c = 0; c < cells; ++c) {
    for (int slot = 0; slot < 4; ++slot)
      adjacency.neighbours.push_back(c / block * block + static_cast<int>(random() % block));
    adjacency.offset.push_back(static_cast<std::int64_t>(adjacency.neighbours.size()));
  }
  return adjacency;
}

TEST(OrderStatistics, BlocksOfARing) {
  const CellAdjacency adjacency = ring(10, 1);
  const BlockShare share = block_share(adjacency, even_blocks(10, 4));
  EXPECT_EQ(share.num_blocks, 3);
  EXPECT_EQ(share.smallest_cells, 2);
  EXPECT_EQ(share.largest_cells, 4);
  EXPECT_EQ(share.entries, 20);
  EXPECT_EQ(share.outside, 6); // two at each of three interfaces
  EXPECT_DOUBLE_EQ(share.outside_share(), 0.3);
  EXPECT_EQ(block_share(adjacency, even_blocks(10, 100)).outside, 0);
  EXPECT_EQ(block_share(CellAdjacency{}, even_blocks(0, 8)).outside_share(), 0);
}

TEST(OrderStatistics, TheBoundsOfThePaper) {
  const LineReads reads;
  EXPECT_DOUBLE_EQ(reads.fewest_lines(), 1.75);
  EXPECT_DOUBLE_EQ(reads.most_lines(), 5.75);
  // Neighbours side by side: each line of x once.
  EXPECT_NEAR(line_accesses(ring(4096, 1), reads), 1.75, 2.0 / 4096);
  // Four neighbours, each far from what a cell of the window reads.
  const int cells = 1 << 16;
  CellAdjacency far;
  for (int c = 0; c < cells; ++c) {
    for (int slot = 0; slot < 4; ++slot)
      far.neighbours.push_back((c * 8191 + slot * 16411) % cells);
    far.offset.push_back(static_cast<std::int64_t>(far.neighbours.size()));
  }
  EXPECT_NEAR(line_accesses(far, {.window_cells = 1}), 5.75, 0.02);
  EXPECT_EQ(lines_of_x(CellAdjacency{}, reads), 0);
}

// Cells 0..7 in lines of two; 0 and 4, 1 and 5, ... are neighbours. Without a memory of earlier
// cells every cell reads its own line and that of its one neighbour; with a memory of one cell
// every second cell finds both.
TEST(OrderStatistics, LinesByHand) {
  const CellAdjacency adjacency = [] {
    CellAdjacency a;
    for (int c = 0; c < 8; ++c) {
      a.neighbours.push_back((c + 4) % 8);
      a.offset.push_back(c + 1);
    }
    return a;
  }();
  LineReads reads{.width = 1, .line_bytes = 16, .window_cells = 0};
  EXPECT_DOUBLE_EQ(reads.streamed_lines(), 0.75);
  EXPECT_DOUBLE_EQ(lines_of_x(adjacency, reads), 2);
  reads.window_cells = 1;
  EXPECT_DOUBLE_EQ(lines_of_x(adjacency, reads), 1);
  reads.window_cells = 8; // all remembered: four lines for eight cells
  EXPECT_DOUBLE_EQ(lines_of_x(adjacency, reads), 0.5);
}

TEST(OrderStatistics, IdealMatricesAreCountedAsExpected) {
  LineReads reads;
  for (const std::int64_t window : {64, 512})
    for (const int block : {32, 256, 2048, 16384, 1 << 17}) {
      reads.window_cells = window;
      const double counted = line_accesses(random_blocks(1 << 17, block), reads);
      EXPECT_NEAR(ideal_line_accesses(block, reads), counted, 0.01 * counted)
          << block << " in a window of " << window;
    }
}

TEST(OrderStatistics, EffectiveBlockSizeIsThatOfIdealMatrices) {
  const LineReads reads;
  for (const double block : {1000.0, 5000.0, 300000.0})
    EXPECT_NEAR(effective_block_size(ideal_line_accesses(block, reads), 1 << 20, reads), block,
                1e-6 * block);
  EXPECT_NEAR(effective_block_size(1.75, 1 << 20, reads), 512, 2); // flat there
  EXPECT_DOUBLE_EQ(effective_block_size(5.75, 1 << 20, reads), 1 << 20);
  EXPECT_DOUBLE_EQ(effective_block_size(3, 100, reads), 100); // a mesh smaller than the window
}

} // namespace
} // namespace weft
