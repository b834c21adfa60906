// The pattern of all nodes, put together on the first rank.
#include <algorithm>
#include <gtest/gtest.h>
#include <mutex>

#include "op/set_up/make_csr_pattern.h"
#include "support/case_text.h"
#include "support/on_ranks.h"

namespace weft {
namespace {

// Lengths of rows and of what rows are coupled with do not depend on the order of nodes.
std::vector<std::pair<std::int64_t, std::int64_t>> lengths_of(const CsrPattern &pattern) {
  const auto length = [&](std::int64_t row) {
    return pattern.row_start[row + 1] - pattern.row_start[row];
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> lengths;
  for (std::int64_t row = 0; row < pattern.num_rows; ++row) {
    std::int64_t of_neighbours = 0;
    for (std::int64_t e = pattern.row_start[row]; e < pattern.row_start[row + 1]; ++e)
      of_neighbours += length(pattern.columns[e]);
    lengths.emplace_back(length(row), of_neighbours);
  }
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

TEST(NodePatternOnRanks, IsThatOfTheWhole) {
  const DiscreteProblem whole(
      box_text("triangle", 1, 0.1, "[5, 4]") +
      "[fields]\nv = { element = \"P2\", shape = \"vector\" }\np = { element = \"P1\" }\n"
      "[weak_form]\ncells.all = \"inner(grad(v), grad(test(v))) - p*div(test(v)) + "
      "div(v)*test(p)\"\n");
  const CsrPattern expected = make_node_pattern(whole.d);
  for (const int size : {2, 5}) {
    std::mutex mutex;
    int none = 0;
    on_parts(whole, size, [&](Communicator &ranks, const Discretisation &d) {
      const CsrPattern pattern = make_node_pattern(d);
      const std::lock_guard lock(mutex);
      if (ranks.rank() > 0) {
        none += pattern.num_rows == 0;
        return;
      }
      ASSERT_EQ(pattern.num_rows, expected.num_rows);
      EXPECT_EQ(lengths_of(pattern), lengths_of(expected));
      for (std::int64_t row = 0; row < pattern.num_rows; ++row)
        EXPECT_TRUE(std::is_sorted(pattern.columns.begin() + pattern.row_start[row],
                                   pattern.columns.begin() + pattern.row_start[row + 1]));
    });
    EXPECT_EQ(none, size - 1);
  }
}

} // namespace
} // namespace weft
