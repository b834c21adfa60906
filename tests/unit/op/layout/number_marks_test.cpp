#include "op/layout/number_marks.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(NumberMarks, count_each_number_once) {
  NumberMarks marks(5);
  EXPECT_EQ(marks.count(), 0);
  for (const std::int32_t number : {4, 0, 4, 2})
    marks.add(number);
  EXPECT_EQ(marks.count(), 3);
}

TEST(NumberMarks, count_the_nodes_of_cells) {
  const NodeMapSet triangles{make_element(CellType::triangle, 1), {0, 1, 2, 2, 1, 3, 4, 5, 6}};
  NumberMarks marks(7);
  marks.add_nodes(triangles, 0);
  marks.add_nodes(triangles, 1);
  EXPECT_EQ(marks.count(), 4);
}

} // namespace
} // namespace weft
