#include "solve/approximate/elimination_order.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

#include "support/eigen_matrix.h"
#include "support/solve_support.h"

namespace weft {
namespace {

// Rows of a grid, shuffled, of which only one of two neighbours names the other, and zeros that
// would connect what is far.
TEST(EliminationOrder, BringsNeighboursTogether) {
  constexpr int width = 10, height = 40, size = width * height;
  const auto shuffled = [](int i) { return (i * 271) % size; };
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < size; ++i) {
    entries.emplace_back(shuffled(i), shuffled(i), 4);
    if (i % width != 0)
      entries.emplace_back(shuffled(i), shuffled(i - 1), -1);
    if (i >= width)
      entries.emplace_back(shuffled(i - width), shuffled(i), -1);
    entries.emplace_back(shuffled(i), shuffled((i + size / 2) % size), 0);
  }
  test::Matrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const HostMatrix host = test::to_host(matrix);
  const std::vector<std::int32_t> order = elimination_order(host);
  std::vector<int> place(size, -1);
  for (int p = 0; p < size; ++p)
    place[order[p]] = p;
  EXPECT_EQ(std::count(place.begin(), place.end(), -1), 0);
  for (int row = 0; row < size; ++row)
    for (auto e = host.row_start[row]; e < host.row_start[row + 1]; ++e)
      if (host.values[e] != 0) {
        EXPECT_LE(std::abs(place[row] - place[host.columns[e]]), width + 1);
      }
}

} // namespace
} // namespace weft
