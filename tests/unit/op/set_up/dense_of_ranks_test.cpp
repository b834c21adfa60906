// Small dense problems whose rows are shared among ranks that are threads.
#include "op/set_up/dense_of_ranks.h"

#include <atomic>
#include <cmath>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "ranks/thread_ranks.h"

namespace weft {
namespace {

Eigen::MatrixXd some_matrix(Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd matrix(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      matrix(i, j) = std::sin(1.0 + double(i * columns + j) * 0.7) + (i == j ? 2 : 0);
  return matrix;
}

// Rows from rank * 5 on; the last rank has what is left, one row or none.
Eigen::Index first_row(int rank, Eigen::Index rows) {
  return std::min<Eigen::Index>(5 * rank, rows);
}

TEST(DenseOfRanks, AreThoseOfAllRows) {
  const Eigen::MatrixXd matrix = some_matrix(16, 3);
  const Eigen::VectorXd b = some_matrix(16, 1).col(0).array().square();
  const Eigen::VectorXd expected = least_squares(nullptr, matrix, b);
  EXPECT_LT((matrix.transpose() * (matrix * expected - b)).norm(), 1e-12);
  const Eigen::MatrixXd gram = matrix.transpose() * matrix;
  for (const int size : {1, 2, 4, 6}) {
    std::atomic<int> wrong = 0;
    run_thread_ranks(size, [&](Communicator &ranks) {
      const Eigen::Index first = first_row(ranks.rank(), 16);
      const Eigen::Index end = ranks.rank() + 1 == size ? 16 : first_row(ranks.rank() + 1, 16);
      const Eigen::MatrixXd own = matrix.middleRows(first, end - first);
      const Eigen::VectorXd own_b = b.segment(first, end - first);
      const Eigen::MatrixXd triangle = triangle_over(&ranks, own);
      const auto differs = [](const Eigen::MatrixXd &a, const Eigen::MatrixXd &c) {
        return (a - c).norm() < 1e-12 * (1 + c.norm()) ? 0 : 1;
      };
      wrong += differs(triangle.transpose() * triangle, gram);
      wrong += differs(least_squares(&ranks, own, own_b), expected);
      wrong += differs(sum_over(&ranks, own.transpose() * own), gram);
      wrong += largest_of(&ranks, own_b) == b.cwiseAbs().maxCoeff() ? 0 : 1;
      wrong += largest_of_columns(&ranks, own) ==
                       Eigen::VectorXd(matrix.cwiseAbs().colwise().maxCoeff().transpose())
                   ? 0
                   : 1;
    });
    EXPECT_EQ(wrong, 0) << size;
  }
}

// Three columns of all are taken, and they are independent, though those of one rank are not.
TEST(DenseOfRanks, PicksIndependentColumns) {
  for (const int size : {1, 2, 3}) {
    std::vector<Eigen::MatrixXd> taken(size);
    run_thread_ranks(size, [&](Communicator &ranks) {
      Eigen::MatrixXd own = some_matrix(3, 4);
      if (size > 1 && ranks.rank() == 0)
        own = own.col(0) * Eigen::RowVectorXd::LinSpaced(4, 1, 2);
      Eigen::MatrixXd &columns = taken[ranks.rank()];
      columns.resize(3, 0);
      for (const Eigen::Index c : independent_columns(&ranks, own)) {
        columns.conservativeResize(Eigen::NoChange, columns.cols() + 1);
        columns.rightCols(1) = own.col(c);
      }
    });
    Eigen::MatrixXd all(3, 0);
    for (const Eigen::MatrixXd &columns : taken) {
      all.conservativeResize(Eigen::NoChange, all.cols() + columns.cols());
      all.rightCols(columns.cols()) = columns;
    }
    ASSERT_EQ(all.cols(), 3) << size;
    EXPECT_GT(std::abs(all.determinant()), 0.1) << size;
  }
}

} // namespace
} // namespace weft
