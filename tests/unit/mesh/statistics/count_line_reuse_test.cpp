#include "mesh/statistics/count_line_reuse.h"

#include <gtest/gtest.h>
#include <numeric>

namespace weft {
namespace {

// Cell c and cell c + distance, for a path of `cells` cells.
CellAdjacency strided(int cells, int distance) {
  CellAdjacency adjacency;
  for (int c = 0; c < cells; ++c) {
    if (c >= distance)
      adjacency.neighbours.push_back(c - distance);
    if (c + distance < cells)
      adjacency.neighbours.push_back(c + distance);
    adjacency.offset.push_back(static_cast<std::int64_t>(adjacency.neighbours.size()));
  }
  return adjacency;
}

double sum(const std::array<double, LineReuse::num_bins> &bins) {
  return std::accumulate(bins.begin(), bins.end(), 0.0);
}

// One entry a line: the neighbour ahead is new, the one behind was read 64 cells before as a cell's
// own entry, and that own entry 64 cells before as the neighbour ahead.
TEST(LineReuse, ByHand) {
  const int cells = 1 << 12;
  const LineReuse reuse = line_reuse(strided(cells, 64), 1);
  const double few = 64.0 / cells;
  EXPECT_DOUBLE_EQ(reuse.first_neighbours, 1 - few);
  EXPECT_DOUBLE_EQ(reuse.first_own, few);
  EXPECT_DOUBLE_EQ(reuse.neighbours[7], 1 - few); // 64 to 127 cells
  EXPECT_DOUBLE_EQ(reuse.own[7], 1 - few);
  EXPECT_DOUBLE_EQ(sum(reuse.neighbours) + sum(reuse.own), 2 - 2 * few);
  // Windows longer than the distance read one new entry a cell, besides those of their beginning.
  EXPECT_NEAR(reuse.footprint_lines(2048) - reuse.footprint_lines(1024), 1024, 2 * few * 1024);
}

TEST(LineReuse, LinesOfSeveralEntries) {
  const LineReuse reuse = line_reuse(strided(1024, 1), 8);
  EXPECT_DOUBLE_EQ(reuse.first_neighbours + reuse.first_own, 1.0 / 8);
  EXPECT_NEAR(reuse.footprint_lines(512), 64, 10);
}

// Blocks of 64 cells whose neighbours lie 64 cells ahead and behind: each reads its own 64 entries
// and 128 of the two blocks beside it.
TEST(LineReuse, OfBlocks) {
  const int cells = 1 << 12;
  const BlockReuse reuse = block_line_reuse(strided(cells, 64), 8, 64);
  const double few = 64.0 / cells;
  EXPECT_DOUBLE_EQ(reuse.outside_entries, 2 - 2 * few);
  EXPECT_DOUBLE_EQ(reuse.copied.first_neighbours, (1 - few) / 8);
  EXPECT_DOUBLE_EQ(reuse.copied.neighbours[7], (1 - few) / 8);
  const BlockReuse whole = block_line_reuse(strided(cells, 64), 8, cells);
  EXPECT_DOUBLE_EQ(whole.copied.first_own, 1.0 / 8);
  EXPECT_EQ(whole.outside_entries, 0);
}

// The first read of each line of the stage, own entries and those of two other blocks, is new and
// the next ones come a cell later; in one block, own entries come 64 cells after the neighbour
// ahead.
TEST(LineReuse, OfAStage) {
  const int cells = 1 << 12;
  const double few = 64.0 / cells;
  const LineReuse stage = block_line_reuse(strided(cells, 64), 8, 64).stage;
  EXPECT_DOUBLE_EQ(stage.first_own, 1.0 / 8);
  EXPECT_DOUBLE_EQ(stage.own[1], 7.0 / 8);
  EXPECT_DOUBLE_EQ(stage.first_neighbours, 2 * (1 - few) / 8);
  EXPECT_DOUBLE_EQ(stage.neighbours[1], 2 * (1 - few) * 7 / 8);
  const LineReuse whole = block_line_reuse(strided(cells, 64), 8, cells).stage;
  EXPECT_DOUBLE_EQ(whole.first_own, few / 8);
  EXPECT_DOUBLE_EQ(whole.own[6], (1 - few) / 8); // 57 cells after the last entry of its line
}

} // namespace
} // namespace weft
