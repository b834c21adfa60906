#include "linalg/csr_pattern.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

// A row without columns, a short one, and one that is searched.
CsrPattern three_rows() {
  std::vector<std::int32_t> columns = {2, 5, 7};
  for (std::int32_t column = 0; column < 100; ++column)
    columns.push_back(3 * column);
  return {.num_rows = 3, .row_start = {0, 0, 3, 103}, .columns = std::move(columns)};
}

TEST(CsrPattern, counts_lower_columns) {
  const CsrPattern pattern = three_rows();
  EXPECT_EQ(pattern.num_below(0, 4), 0);
  EXPECT_EQ(pattern.num_below(1, 2), 0);
  EXPECT_EQ(pattern.num_below(1, 6), 2);
  EXPECT_EQ(pattern.num_below(1, 8), 3);
  EXPECT_EQ(pattern.num_below(2, 150), 50);
  EXPECT_EQ(pattern.num_below(2, 151), 51);
}

TEST(CsrPattern, finds_entries_and_refuses_others) {
  const CsrPattern pattern = three_rows();
  EXPECT_EQ(pattern.place(1, 7), 2);
  EXPECT_EQ(pattern.place(2, 6), 5);
  EXPECT_THROW(pattern.place(1, 6), Error);
  EXPECT_THROW(pattern.place(1, 8), Error);
}

} // namespace
} // namespace weft
