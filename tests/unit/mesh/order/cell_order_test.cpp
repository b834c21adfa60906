// Orders of cells: permutations, reproducible, each with what it promises.
#include "mesh/order/cell_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/parallel.h"
#include "base/permutation.h"
#include "mesh/order/partition_cells.h"
#include "mesh/order/reverse_cuthill_mckee.h"
#include "mesh/order/space_filling_curve.h"
#include "support/mesh_files.h"

namespace weft {
namespace {

// A grid of n^dim points, neighbours along the axes, numbered line by line.
struct Grid {
  CellAdjacency adjacency;
  std::vector<double> centres;
  int dim;
};

Grid make_grid(int n, int dim) {
  Grid grid{{}, {}, dim};
  const int total = static_cast<int>(std::lround(std::pow(n, dim)));
  for (int c = 0; c < total; ++c) {
    for (int d = 0, step = 1; d < dim; ++d, step *= n) {
      const int x = c / step % n;
      grid.centres.push_back(x + 0.5);
      if (x > 0)
        grid.adjacency.neighbours.push_back(c - step);
      if (x < n - 1)
        grid.adjacency.neighbours.push_back(c + step);
    }
    grid.adjacency.offset.push_back(static_cast<std::int64_t>(grid.adjacency.neighbours.size()));
  }
  return grid;
}

CellOrdering order_of(const Grid &grid, CellOrder order, int block_cells = 64) {
  return cell_order(order, grid.adjacency, grid.centres, grid.dim, block_cells);
}

// The largest distance of neighbours in the order.
std::int64_t bandwidth(const CellAdjacency &adjacency) {
  std::int64_t largest = 0;
  for (std::int64_t c = 0; c < adjacency.num_cells(); ++c)
    for (const std::int32_t neighbour : adjacency.of(c))
      largest = std::max(largest, std::abs(c - neighbour));
  return largest;
}

void expect_permutation(std::vector<std::int32_t> cells, std::int64_t count) {
  ASSERT_EQ(static_cast<std::int64_t>(cells.size()), count);
  std::sort(cells.begin(), cells.end());
  for (std::int64_t c = 0; c < count; ++c)
    ASSERT_EQ(cells[c], c);
}

TEST(CellOrder, EveryOrderHasEveryCellOnceWhateverTheThreads) {
  for (const int dim : {2, 3}) {
    const Grid grid = make_grid(dim == 2 ? 40 : 12, dim);
    for (const std::string &name : cell_order_names()) {
      SCOPED_TRACE(name);
      const CellOrder order = cell_order_from_name(name);
      set_host_threads(1);
      const CellOrdering one = order_of(grid, order);
      set_host_threads(3);
      const CellOrdering three = order_of(grid, order);
      set_host_threads(0);
      expect_permutation(one.cells, grid.adjacency.num_cells());
      EXPECT_EQ(one.cells, three.cells);
      EXPECT_EQ(one.block_offset, three.block_offset);
      EXPECT_EQ(one.block_offset.empty(), order != CellOrder::blocks);
    }
  }
  expect_error(ErrorKind::input, {"spiral", "natural, random, rcm, curve, blocks"},
               [] { cell_order_from_name("spiral"); });
}

TEST(CellOrder, NoCells) {
  for (const std::string &name : cell_order_names())
    EXPECT_TRUE(cell_order(cell_order_from_name(name), {}, {}, 3, 8).cells.empty()) << name;
}

TEST(CellOrder, ReorderedGraphsHaveTheSameNeighbours) {
  const Grid grid = make_grid(7, 2);
  const std::vector<std::int32_t> cells = order_of(grid, CellOrder::random).cells;
  const std::vector<std::int32_t> new_index = inverse_permutation(cells);
  const CellAdjacency moved = reordered(grid.adjacency, cells);
  ASSERT_EQ(moved.num_entries(), grid.adjacency.num_entries());
  for (int c = 0; c < 49; ++c) {
    const auto before = grid.adjacency.of(c), after = moved.of(new_index[c]);
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(after[i], new_index[before[i]]);
  }
}

TEST(CellOrder, AdjacencyOfATableLeavesOutWhatIsNoNeighbour) {
  // Three cells in a row; -1 and numbers past the cells are no cells, a cell's own number fills up.
  const std::vector<std::int32_t> table = {1, -1, 2, 0, 7, 2};
  const CellAdjacency adjacency = make_adjacency(table, 3, 2);
  EXPECT_EQ(adjacency.offset, (std::vector<std::int64_t>{0, 1, 3, 3}));
  EXPECT_EQ(adjacency.neighbours, (std::vector<std::int32_t>{1, 2, 0}));
}

// A path is numbered from one end to the other; two of them one after the other.
TEST(ReverseCuthillMcKee, Paths) {
  CellAdjacency two;
  for (int c = 0; c < 20; ++c) { // even cells are one path, odd ones the other
    if (c >= 2)
      two.neighbours.push_back(c - 2);
    if (c < 18)
      two.neighbours.push_back(c + 2);
    two.offset.push_back(static_cast<std::int64_t>(two.neighbours.size()));
  }
  const CellAdjacency ordered = reordered(two, reverse_cuthill_mckee(two));
  EXPECT_EQ(bandwidth(ordered), 1);
  EXPECT_EQ(ordered.of(10).size() + ordered.of(9).size(), 2u); // where one ends, the other begins
}

// Levels of a square grid from a corner are its diagonals: no two neighbours are farther apart than
// n, and none can be nearer than n in any order.
TEST(ReverseCuthillMcKee, BandwidthOfAGrid) {
  const Grid grid = make_grid(16, 2);
  const std::vector<std::int32_t> shuffled = order_of(grid, CellOrder::random).cells;
  const CellAdjacency mixed = reordered(grid.adjacency, shuffled);
  EXPECT_GT(bandwidth(mixed), 150);
  EXPECT_EQ(bandwidth(reordered(mixed, reverse_cuthill_mckee(mixed))), 16);
}

// Consecutive points of the curve through a full grid of 2^k points a side are neighbours, and it
// begins in a corner: which is what makes it Hilbert's and not a Z-curve.
TEST(HilbertOrder, ConsecutivePointsAreNeighbours) {
  for (const int dim : {2, 3}) {
    const int n = dim == 2 ? 16 : 8;
    const Grid grid = make_grid(n, dim);
    const std::vector<std::int32_t> order = hilbert_order(grid.centres, dim);
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      double distance = 0;
      for (int d = 0; d < dim; ++d)
        distance +=
            std::abs(grid.centres[order[i] * dim + d] - grid.centres[order[i + 1] * dim + d]);
      ASSERT_EQ(distance, 1) << "dim " << dim << " place " << i;
    }
    EXPECT_EQ(order.front(), 0);
  }
  // Points at one position keep their order.
  EXPECT_EQ(hilbert_order(std::vector<double>{1, 2, 1, 2, 1, 2}, 2),
            (std::vector<std::int32_t>{0, 1, 2}));
}

// Blocks of a cube of n cells have about 6 n^(2/3) faces outside; a partition stays near that.
TEST(CellOrder, BlocksHaveTheirSizeAndFewNeighboursOutside) {
  const Grid grid = make_grid(32, 3);
  for (const std::int64_t size : {std::int64_t{64}, std::int64_t{512}, std::int64_t{40000}}) {
    const CellOrdering ordering = cell_order(CellOrder::blocks, grid.adjacency, {}, 3, size);
    expect_permutation(ordering.cells, 32768);
    const auto &offset = ordering.block_offset;
    ASSERT_EQ(offset.front(), 0);
    ASSERT_EQ(offset.back(), 32768);
    std::vector<int> block(32768);
    for (std::size_t b = 0; b + 1 < offset.size(); ++b) {
      EXPECT_GT(offset[b + 1], offset[b]);
      EXPECT_LT(offset[b + 1] - offset[b], 1.3 * static_cast<double>(size));
      std::fill(block.begin() + offset[b], block.begin() + offset[b + 1], static_cast<int>(b));
    }
    const double mean = 32768.0 / static_cast<double>(offset.size() - 1);
    EXPECT_NEAR(mean, static_cast<double>(std::min<std::int64_t>(size, 32768)), 0.1 * mean);
    const CellAdjacency ordered = reordered(grid.adjacency, ordering.cells);
    std::int64_t outside = 0;
    for (std::int64_t c = 0; c < 32768; ++c)
      for (const std::int32_t neighbour : ordered.of(c))
        outside += block[c] != block[neighbour];
    EXPECT_LT(static_cast<double>(outside), 1.3 * 6 * std::pow(mean, -1.0 / 3) * 32768);
  }
}

// In random numbering a partition and the order inside its blocks bring neighbours together.
TEST(CellOrder, BlocksAreOrderedInside) {
  const Grid grid = make_grid(32, 2);
  const CellAdjacency mixed = reordered(grid.adjacency, order_of(grid, CellOrder::random).cells);
  const CellOrdering ordering = cell_order(CellOrder::blocks, mixed, {}, 2, 128);
  const CellAdjacency ordered = reordered(mixed, ordering.cells);
  double near = 0;
  for (std::int64_t c = 0; c < 1024; ++c)
    for (const std::int32_t neighbour : ordered.of(c))
      near += std::abs(c - neighbour) <= 24;
  EXPECT_GT(near / static_cast<double>(ordered.num_entries()), 0.75);
}

} // namespace
} // namespace weft
