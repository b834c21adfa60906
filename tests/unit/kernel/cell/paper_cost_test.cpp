// The cost model of Knepley, Rupp, Terrel 2016 on its own examples.
#include "kernel/cell/paper_cost.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

// Equation (9).
TEST(PaperCost, BalanceOfPoissonInTheUnitSquare) {
  for (const int blocks : {1, 16, 36}) {
    const PaperSizes sizes{.dim = 2, .basis = 3, .points = 1, .components = 1, .blocks = blocks};
    EXPECT_EQ(paper_cost(sizes).balance, 41.0 / 22);
    EXPECT_EQ(paper_cost(sizes).flops, 82.0 * sizes.batch_cells());
    EXPECT_EQ(paper_cost(sizes).bytes, 44.0 * sizes.threads());
    EXPECT_TRUE(sizes.is_of_equation_9());
  }
  EXPECT_FALSE((PaperSizes{.dim = 3, .basis = 4}).is_of_equation_9());
}

// Their figure 3; memory by hand from equations (3) to (5).
TEST(PaperCost, SizesAndSharedMemoryOfAVectorElement) {
  const PaperSizes sizes{.dim = 2, .basis = 3, .points = 2, .components = 2, .blocks = 2};
  EXPECT_EQ(sizes.basis_total(), 6);
  EXPECT_EQ(sizes.block_cells(), 6);
  EXPECT_EQ(sizes.batch_cells(), 12);
  EXPECT_EQ(sizes.threads(), 24);
  EXPECT_EQ(sizes.cells_a_thread(), 2);
  const PaperCost cost = paper_cost(sizes);
  EXPECT_EQ(cost.shared_bytes, 4 * (5 * 24 + 3 * 6 * 2 + 24 * 6 + 3 * 24 * 2));
  // LCM(N_b, N_q) = N_b N_q: the bound is reached.
  EXPECT_EQ(cost.shared_bytes_a_cell, 148);
  EXPECT_EQ(cost.shared_bytes_bound, 148);
  EXPECT_EQ(cost.shared_bytes_without_f0, 4 * 2 * (5 + 1 + 6 + 2 * 2));
}

// LCM(3, 3) = 3: fewer cells a thread than quadrature points.
TEST(PaperCost, TheBoundOfSharedMemoryIsAbove) {
  const PaperSizes sizes{.dim = 2, .basis = 3, .points = 3, .components = 1, .blocks = 4};
  const PaperCost cost = paper_cost(sizes);
  EXPECT_EQ(cost.shared_bytes, 4 * (5 * 12 + 3 * 3 * 3 + 12 * 3 + 3 * 12 * 1));
  EXPECT_LT(cost.shared_bytes_a_cell, cost.shared_bytes_bound);
}

} // namespace
} // namespace weft
