#include "linalg/block_matrix.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

// Rows of 0 to 6 blocks, whose columns and entries tell their index.
constexpr std::int64_t num_rows = 1001;
constexpr int height = 2, width = 3;

int length_of(std::int64_t row) {
  return static_cast<int>(row * row % 7);
}

void append_row(std::int64_t row, BlockRows::Chunk &to) {
  const int length = length_of(row);
  const auto [columns, values] = to.append(length, height * width);
  for (int k = 0; k < length; ++k)
    columns[k] = static_cast<std::int32_t>(row + k);
  for (int e = 0; e < length * height * width; ++e)
    values[e] = static_cast<double>(1000 * row + e);
}

void expect_all_rows(const BlockMatrix &m) {
  ASSERT_EQ(static_cast<std::int64_t>(m.start.size()), num_rows + 1);
  EXPECT_EQ(m.start[0], 0);
  for (std::int64_t row = 0; row < num_rows; ++row) {
    ASSERT_EQ(m.start[row + 1] - m.start[row], length_of(row)) << row;
    for (int k = 0; k < length_of(row); ++k)
      ASSERT_EQ(m.columns[m.start[row] + k], row + k) << row;
    for (int e = 0; e < length_of(row) * height * width; ++e)
      ASSERT_EQ(m.values[std::int64_t{m.start[row]} * height * width + e],
                static_cast<double>(1000 * row + e))
          << row;
  }
  EXPECT_EQ(static_cast<std::int64_t>(m.columns.size()), m.start[num_rows]);
  EXPECT_EQ(m.values.size(), m.columns.size() * height * width);
}

TEST(BlockRows, LieInOrderWhicheverThreadMakesThem) {
  set_host_threads(4);
  for (const std::int64_t expected : {0, 100, 3000, 10000})
    for (const std::int64_t chunk : {1, 16, 5000}) {
      BlockRows rows(num_rows, chunk, height, width, expected);
      expect_all_rows(rows.fill([] { return append_row; }));
    }
  set_host_threads(0);
}

TEST(BlockRows, OfAnEmptyMatrix) {
  BlockRows rows(0, 16, height, width, 0);
  const BlockMatrix m = rows.fill([] { return append_row; });
  EXPECT_EQ(m.start.size(), 1u);
  EXPECT_TRUE(m.columns.empty());
  EXPECT_TRUE(m.values.empty());
}

} // namespace
} // namespace weft
