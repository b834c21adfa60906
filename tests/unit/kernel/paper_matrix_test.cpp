#include <gtest/gtest.h>

#include "kernel/paper_matrix.h"

namespace weft {
namespace {

// Banas, Kruzel, Bielanski, table 4: accesses follow from the sizes of table 3.
TEST(PaperMatrixCounts, AccessesAreThoseOfThePapersTable4) {
  const auto accesses = [](PaperProblem problem, CellType cell) {
    return paper_matrix_counts(problem, cell, LoopOrder::qss)->accesses;
  };
  EXPECT_EQ(accesses(PaperProblem::poisson, CellType::tetrahedron), 36);
  EXPECT_EQ(accesses(PaperProblem::poisson, CellType::prism), 66);
  EXPECT_EQ(accesses(PaperProblem::convection_diffusion, CellType::tetrahedron), 52);
  EXPECT_EQ(accesses(PaperProblem::convection_diffusion, CellType::prism), 80);
}

TEST(PaperMatrixCounts, OnlyOfThePapersCellsAndLoopOrders) {
  EXPECT_FALSE(paper_matrix_counts(PaperProblem::poisson, CellType::hexahedron, LoopOrder::qss));
  EXPECT_FALSE(
      paper_matrix_counts(PaperProblem::poisson, CellType::tetrahedron, LoopOrder::tensor));
}

} // namespace
} // namespace weft
