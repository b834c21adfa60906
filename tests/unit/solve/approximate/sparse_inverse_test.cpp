// Sparse approximate inverses: the best on their pattern, row by row.
#include "solve/approximate/sparse_inverse.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/parallel.h"
#include "support/eigen_matrix.h"
#include "support/solve_support.h"

namespace weft {
namespace {

using test::Matrix;
using test::stencil_matrix;
using test::to_host;
using Dense = Eigen::MatrixXd;

Dense inverse_of(const Matrix &matrix, bool symmetric) {
  return Dense(
      test::to_eigen(sparse_approximate_inverse(to_host(matrix), symmetric), matrix.rows()));
}

// Where a row has entries the gradient of |m A - e|^2, 2 (m A - e) A^T, vanishes.
TEST(SparseInverse, RowsSatisfyTheirNormalEquations) {
  for (const double convection : {0., 1.5, 4.}) {
    const Matrix matrix = stencil_matrix(240, 0.1, convection);
    const Dense a = matrix, m = inverse_of(matrix, false);
    const Dense gradient = (m * a - Dense::Identity(240, 240)) * a.transpose();
    for (int row = 0; row < 240; ++row)
      for (int column = 0; column < 240; ++column)
        if (a(row, column) != 0)
          EXPECT_LT(std::abs(gradient(row, column)), 1e-11 * a.row(column).norm());
        else
          EXPECT_EQ(m(row, column), 0);
  }
}

TEST(SparseInverse, IsNearerToTheInverseThanADiagonalIs) {
  for (const double convection : {0., 1.5}) {
    const Matrix matrix = stencil_matrix(240, 0.1, convection);
    const Dense a = matrix, identity = Dense::Identity(240, 240);
    Dense best = Dense::Zero(240, 240); // diagonal
    for (int row = 0; row < 240; ++row)
      best(row, row) = a(row, row) / a.row(row).squaredNorm();
    const double of_diagonal = (identity - best * a).norm();
    EXPECT_LT((identity - inverse_of(matrix, false) * a).norm(), 0.75 * of_diagonal);
  }
}

TEST(SparseInverse, IsTheInverseWhereThatHasThePattern) {
  const Matrix full = (Dense::Random(12, 12) + 6 * Dense::Identity(12, 12)).sparseView();
  EXPECT_LT((inverse_of(full, false) - Dense(full).inverse()).norm(), 1e-12);
}

TEST(SparseInverse, IsSymmetricOfASymmetricMatrix) {
  const Matrix matrix = stencil_matrix(240, 0.1);
  const Dense m = inverse_of(matrix, true), rows = inverse_of(matrix, false);
  EXPECT_LT((m - (rows + rows.transpose()) / 2).norm(), 1e-14 * m.norm());
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Dense>(m).eigenvalues().minCoeff(), 0);
}

TEST(SparseInverse, RowsOfZerosLeaveItFinite) {
  Matrix matrix = stencil_matrix(60, 0.1, 1);
  for (Matrix::InnerIterator e(matrix, 30); e; ++e)
    e.valueRef() = 0;
  EXPECT_TRUE(inverse_of(matrix, false).allFinite());
}

TEST(SparseInverse, HasTheSameBitsOnAnyNumberOfThreads) {
  const HostMatrix matrix = to_host(stencil_matrix(3000, 0.1, 1.5));
  const int threads = host_threads();
  set_host_threads(1);
  const HostMatrix one = sparse_approximate_inverse(matrix, true);
  set_host_threads(3);
  const HostMatrix three = sparse_approximate_inverse(matrix, true);
  set_host_threads(threads);
  EXPECT_EQ(one.columns, three.columns);
  EXPECT_EQ(one.values, three.values);
}

TEST(SparseInverse, LongRowsAreRefused) {
  Matrix arrow(1200, 1200);
  for (int i = 0; i < 1200; ++i) {
    arrow.coeffRef(i, i) = 2;
    arrow.coeffRef(0, i) = 1;
  }
  EXPECT_THROW(sparse_approximate_inverse(to_host(arrow), false), Error);
}

} // namespace
} // namespace weft
