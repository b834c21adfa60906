// Incomplete factors against dense elimination that keeps to a pattern.
#include "solve/approximate/incomplete_lu.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/eigen_matrix.h"
#include "support/solve_support.h"

namespace weft {
namespace {

using test::Matrix;
using test::stencil_matrix;
using test::to_host;
using Dense = Eigen::MatrixXd;

Dense lower_of(const HostFactors &factors) {
  const Eigen::Index n = factors.lower.num_rows();
  return Dense(test::to_eigen(factors.lower, n)) + Dense::Identity(n, n);
}
Dense upper_of(const HostFactors &factors) {
  const Eigen::Index n = factors.upper.num_rows();
  Dense upper = Dense(test::to_eigen(factors.upper, n));
  upper.diagonal() = Eigen::Map<const Eigen::VectorXd>(factors.diagonal.data(), n);
  return upper;
}

// Gaussian elimination, column by column, of a dense matrix; what lies outside `pattern` is left
// out. Both factors in one matrix.
Dense eliminate_within(Dense a, const Eigen::MatrixXi &pattern) {
  for (Eigen::Index k = 0; k < a.rows(); ++k)
    for (Eigen::Index i = k + 1; i < a.rows(); ++i)
      if (pattern(i, k) != 0) {
        a(i, k) /= a(k, k);
        for (Eigen::Index j = k + 1; j < a.rows(); ++j)
          if (pattern(i, j) != 0)
            a(i, j) -= a(i, k) * a(k, j);
      }
  return a;
}

// Levels of fill by their definition: [i, j], most + 1 where there is no entry.
Eigen::MatrixXi levels_of_fill(const Dense &a, int most) {
  const Eigen::Index n = a.rows();
  Eigen::MatrixXi level = Eigen::MatrixXi::Constant(n, n, most + 1);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      if (a(i, j) != 0 || i == j)
        level(i, j) = 0;
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index k = 0; k < i; ++k)
      for (Eigen::Index j = k + 1; j < n; ++j)
        if (level(i, k) <= most && level(k, j) <= most)
          level(i, j) = std::min(level(i, j), level(i, k) + level(k, j) + 1);
  return level;
}

TEST(IncompleteLu, IsEliminationWithinThePattern) {
  for (const bool symmetric : {true, false})
    for (const int level : {0, 1, 2, 3}) {
      const Matrix matrix = stencil_matrix(97, 0.1, symmetric ? 0 : 1.7);
      const Dense a = matrix;
      const Eigen::MatrixXi levels = levels_of_fill(a, level);
      const Eigen::MatrixXi pattern = (levels.array() <= level).cast<int>();
      const Dense expected = eliminate_within(a.cwiseProduct(pattern.cast<double>()), pattern);
      const IncompleteLu found = incomplete_lu(to_host(matrix), {.level = level});
      EXPECT_EQ(found.shift, 0);
      EXPECT_EQ(found.factors.num_entries(), pattern.sum());
      const Dense lower = lower_of(found.factors), upper = upper_of(found.factors);
      const Dense both = lower + upper - Dense::Identity(97, 97);
      EXPECT_LT((both - expected).cwiseAbs().maxCoeff(), 1e-12 * a.cwiseAbs().maxCoeff());
      // The product agrees with the matrix where the factors have entries.
      const Dense rest = (lower * upper - a).cwiseProduct(pattern.cast<double>());
      EXPECT_LT(rest.cwiseAbs().maxCoeff(), 1e-12 * a.cwiseAbs().maxCoeff());
      if (symmetric) {
        EXPECT_LT((lower * upper - (lower * upper).transpose()).cwiseAbs().maxCoeff(),
                  1e-12 * a.cwiseAbs().maxCoeff());
        EXPECT_GT(upper.diagonal().minCoeff(), 0);
      }
    }
}

TEST(IncompleteLu, WithAllFillIsExact) {
  const Matrix matrix = stencil_matrix(150, 0.1, 2.5);
  const IncompleteLu found = incomplete_lu(to_host(matrix), {.level = 1000});
  const Dense a = matrix;
  EXPECT_LT((lower_of(found.factors) * upper_of(found.factors) - a).cwiseAbs().maxCoeff(),
            1e-12 * a.cwiseAbs().maxCoeff());
}

TEST(IncompleteLu, ZerosAreNoEntriesAndAMissingDiagonalIsOne) {
  // [2 0 1; 1 3 0; 0 1 .], whose last pivot is what elimination leaves there: 1/6.
  const HostMatrix matrix{{0, 3, 5, 6}, {0, 1, 2, 0, 1, 1}, {2, 0, 1, 1, 3, 1}};
  const IncompleteLu found = incomplete_lu(matrix, {.level = 1});
  EXPECT_EQ(found.shift, 0);
  EXPECT_EQ(found.factors.lower.columns, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(found.factors.upper.columns, (std::vector<std::int32_t>{2, 2})); // one is fill
  EXPECT_NEAR(found.factors.diagonal[2], 1. / 6, 1e-15);
}

TEST(IncompleteLu, SmallAndNegativePivotsAreShifted) {
  // A zero pivot, without an order of rows that avoids it.
  const HostMatrix zero{{0, 2, 4}, {0, 1, 0, 1}, {0, 1, 1, 0}};
  const IncompleteLu found = incomplete_lu(zero, {});
  EXPECT_GT(found.shift, 0);
  EXPECT_TRUE(upper_of(found.factors).allFinite());
  EXPECT_TRUE(lower_of(found.factors).allFinite());
  // Positive definite, but ILU(0) of it has a negative pivot (Kershaw 1978, DOI
  // 10.1016/0021-9991(78)90098-0).
  Matrix kershaw = Dense{{3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}}.sparseView();
  EXPECT_EQ(incomplete_lu(to_host(kershaw), {}).shift, 0);
  const IncompleteLu positive = incomplete_lu(to_host(kershaw), {.positive = true});
  EXPECT_GT(positive.shift, 0);
  EXPECT_GT(upper_of(positive.factors).diagonal().minCoeff(), 0);
}

// Strong convection, central differences: pivots are fine, but solving with the factors is not.
TEST(IncompleteLu, FactorsThatMakeNumbersGrowAreShifted) {
  const int n = 200;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 1);
    if (i > 0)
      entries.emplace_back(i, i - 1, -3);
  }
  Matrix matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const IncompleteLu found = incomplete_lu(to_host(matrix), {});
  EXPECT_GT(found.shift, 0);
  const Eigen::VectorXd x = (lower_of(found.factors) * upper_of(found.factors))
                                .partialPivLu()
                                .solve(Eigen::VectorXd::Ones(n));
  EXPECT_LT(x.cwiseAbs().maxCoeff(), 1e12);
}

TEST(IncompleteLu, ARowOfZerosIsNamed) {
  const HostMatrix matrix{{0, 1, 2}, {0, 1}, {1, 0}};
  try {
    incomplete_lu(
        matrix, {.name_of_row = [](std::int64_t row) { return "unknown " + std::to_string(row); }});
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
    EXPECT_EQ(error.diagnostic().where, "unknown 1");
  }
}

TEST(IncompleteLu, ReorderedRowsAndColumns) {
  const Matrix matrix = stencil_matrix(50, 0.1, 2);
  std::vector<std::int32_t> order(50);
  for (int i = 0; i < 50; ++i)
    order[i] = (7 * i) % 50;
  const Dense found = Dense(test::to_eigen(reordered(to_host(matrix), order), 50)), a = matrix;
  for (int i = 0; i < 50; ++i)
    for (int j = 0; j < 50; ++j)
      EXPECT_EQ(found(i, j), a(order[i], order[j]));
}

} // namespace
} // namespace weft
