#include "bench/fv/ideal_matrix.h"

#include <gtest/gtest.h>
#include <set>

#include "base/parallel.h"
#include "mesh/statistics/order_statistics.h"

namespace weft {
namespace {

TEST(IdealMatrix, EntriesAreOtherRowsOfTheBlock) {
  const EllpackMatrix matrix = make_ideal_matrix(1000, 64); // the last block has 40 rows
  ASSERT_EQ(matrix.width, 4);
  ASSERT_EQ(matrix.index.size(), 4000u);
  ASSERT_EQ(matrix.value.size(), 4000u);
  EXPECT_EQ(matrix.num_columns(), 1000);
  std::set<std::int32_t> seen;
  for (int row = 0; row < 1000; ++row)
    for (int slot = 0; slot < 4; ++slot) {
      const std::int32_t column = matrix.index[row * 4 + slot];
      ASSERT_TRUE(column >= 0 && column < 1000);
      EXPECT_EQ(column / 64, row / 64);
      EXPECT_NE(column, row);
      EXPECT_GE(matrix.value[row * 4 + slot], 0);
      EXPECT_LT(matrix.value[row * 4 + slot], 0.25);
      seen.insert(column);
    }
  EXPECT_GT(seen.size(), 950u); // of 4000 draws 1000 (1 - 1/e^4) = 982 are to be expected
  const CellAdjacency adjacency = make_adjacency(matrix.index, 1000, 4);
  EXPECT_EQ(adjacency.num_entries(), 4000);
  EXPECT_EQ(block_share(adjacency, even_blocks(1000, 64)).outside, 0);
  EXPECT_GT(block_share(adjacency, even_blocks(1000, 32)).outside, 1500);
}

TEST(IdealMatrix, IsReproducible) {
  set_host_threads(1);
  const EllpackMatrix one = make_ideal_matrix(5000, 5000);
  set_host_threads(3);
  const EllpackMatrix three = make_ideal_matrix(5000, 5000);
  set_host_threads(0);
  EXPECT_EQ(one.index, three.index);
  EXPECT_EQ(one.value, three.value);
}

TEST(IdealMatrix, BlocksOfOneRowHaveEmptySlots) {
  const EllpackMatrix matrix = make_ideal_matrix(3, 1);
  for (int e = 0; e < 12; ++e) {
    EXPECT_EQ(matrix.index[e], e / 4);
    EXPECT_EQ(matrix.value[e], 0);
  }
}

} // namespace
} // namespace weft
