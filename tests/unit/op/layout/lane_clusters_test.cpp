#include "op/layout/lane_clusters.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace weft {
namespace {

// Cells of a row of squares, then those of the row above: neighbours left, right, below, above.
std::vector<std::int32_t> grid(int columns, int rows) {
  std::vector<std::int32_t> neighbours;
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i)
      for (const auto &[x, y] : {std::pair{i - 1, j}, {i + 1, j}, {i, j - 1}, {i, j + 1}})
        neighbours.push_back(x < 0 || x >= columns || y < 0 || y >= rows ? -1 : y * columns + x);
  return neighbours;
}

// Share of the facets between cells that are between cells of one group.
double fraction_within(const LaneGroups &groups, const std::vector<std::int32_t> &neighbours) {
  std::vector<std::int64_t> group(neighbours.size() / 4, -1);
  for (std::size_t slot = 0; slot < groups.cells.size(); ++slot)
    if (groups.cells[slot] >= 0)
      group[groups.cells[slot]] = std::int64_t(slot) / groups.lanes;
  double within = 0, all = 0;
  for (std::size_t k = 0; k < neighbours.size(); ++k)
    if (neighbours[k] >= 0) {
      all += 1;
      within += group[k / 4] == group[neighbours[k]] ? 1 : 0;
    }
  return within / all;
}

TEST(LaneClusters, HoldEachCellOnceAndPadTheLastGroupOnly) {
  for (const int columns : {1, 3, 7})
    for (const int lanes : {1, 4, 8}) {
      const LaneGroups groups = clustered_groups(grid(columns, 5), 4, lanes);
      std::vector<std::int32_t> cells = groups.cells;
      EXPECT_EQ(cells.size() % lanes, 0u);
      const auto padding = std::ranges::count(cells, -1);
      EXPECT_LT(padding, lanes);
      EXPECT_TRUE(std::all_of(cells.end() - padding, cells.end(), [](auto c) { return c < 0; }));
      cells.resize(cells.size() - padding);
      std::ranges::sort(cells);
      ASSERT_EQ(int(cells.size()), 5 * columns);
      for (int c = 0; c < 5 * columns; ++c)
        EXPECT_EQ(cells[c], c);
    }
}

TEST(LaneClusters, ShareMoreFacetsThanRows) {
  const auto neighbours = grid(16, 16);
  const double clustered = fraction_within(clustered_groups(neighbours, 4, 4), neighbours);
  const double in_rows = fraction_within(consecutive_groups(256, 4), neighbours);
  EXPECT_DOUBLE_EQ(in_rows, 192.0 / 480);
  EXPECT_GT(clustered, 1.2 * in_rows); // squares of four share four facets, rows three
}

TEST(LaneClusters, TakeCellsWithoutNeighboursInTheirOrder) {
  const std::vector<std::int32_t> alone(6 * 3, -1);
  const LaneGroups groups = clustered_groups(alone, 3, 4);
  EXPECT_EQ(groups.cells, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, -1, -1}));
}

} // namespace
} // namespace weft
