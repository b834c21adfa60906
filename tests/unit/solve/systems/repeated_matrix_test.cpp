// Four systems of one matrix at once: products, the coarsest level's inverse, whole solves.
#include "solve/systems/repeated_matrix.h"

#include <gtest/gtest.h>

#include "device/host/host_device.h"
#include "solve/multigrid/dense_inverse.h"
#include "support/eigen_matrix.h"
#include "support/level_cases.h"
#include "support/solve_support.h"

namespace weft {
namespace {

constexpr int num_systems = RepeatedMatrix::num_systems;

// A column a system.
Eigen::MatrixXd random_columns(int rows) {
  Eigen::MatrixXd columns(rows, num_systems);
  for (int k = 0; k < num_systems; ++k)
    columns.col(k) = test::random_vector(rows, k + 1);
  return columns;
}

Vector interleaved(const Eigen::MatrixXd &columns, Precision precision) {
  const Eigen::MatrixXd rows = columns.transpose();
  return test::upload_vector(Eigen::Map<const Eigen::VectorXd>(rows.data(), rows.size()),
                             precision);
}

Eigen::MatrixXd columns_of(const Vector &interleaved) {
  const Eigen::VectorXd values = test::download_vector(interleaved);
  return Eigen::Map<const Eigen::MatrixXd>(values.data(), num_systems, values.size() / num_systems)
      .transpose();
}

TEST(RepeatedMatrix, ProductsAndDiagonal) {
  for (const MatrixFormat format : {MatrixFormat::sell, MatrixFormat::csr})
    for (const int rows : {1, 31, 500}) {
      SCOPED_TRACE(to_string(format) + " " + std::to_string(rows));
      const test::Matrix a = test::stencil_matrix(rows, 0.5, 0.3);
      SparseMatrix matrix = sparse_matrix(test::device(), test::to_host(a), format);
      RepeatedMatrix repeated(matrix, test::device());
      ASSERT_EQ(repeated.size(), rows * num_systems);
      const Eigen::MatrixXd x = random_columns(rows);
      Vector y = make_vector(test::device(), repeated.size(), Precision::f64, "y");
      repeated.apply(interleaved(x, Precision::f64), y);
      EXPECT_LE((columns_of(y) - a * x).norm(), 1e-14 * (a * x).norm());
      repeated.diagonal(y);
      for (int k = 0; k < num_systems; ++k)
        EXPECT_EQ(columns_of(y).col(k), Eigen::VectorXd(a.diagonal()));
    }
}

TEST(DenseInverse, OfSeveralSystems) {
  for (const int size : {1, 7, 120}) {
    const test::Matrix a = test::stencil_matrix(size, 1);
    const Eigen::MatrixXd x = random_columns(size);
    DenseInverse inverse(test::device(), test::to_host(a), nullptr, Precision::f64, num_systems);
    Vector found = make_vector(test::device(), size * num_systems, Precision::f64, "x");
    inverse.apply(interleaved(a * x, Precision::f64), found);
    EXPECT_LE((columns_of(found) - x).norm(), 1e-10 * x.norm());
  }
}

// Each system is solved as closely as alone, in about as many iterations.
TEST(RepeatedMatrix, SolvesOfAllSystems) {
  const int rows = 6400;
  const test::Matrix a = test::stencil_matrix(rows, 1e-4);
  SparseMatrix matrix = sparse_matrix(test::device(), test::to_host(a), MatrixFormat::sell);
  RepeatedMatrix repeated(matrix, test::device());
  const Eigen::MatrixXd x = random_columns(rows), b = a * x;
  for (const PrecondKind kind :
       {PrecondKind::none, PrecondKind::jacobi, PrecondKind::chebyshev, PrecondKind::multigrid})
    for (const MultigridCycle cycle : {MultigridCycle::v, MultigridCycle::k}) {
      if (kind != PrecondKind::multigrid && cycle != MultigridCycle::v)
        continue;
      SCOPED_TRACE(static_cast<int>(kind));
      SolverSettings settings;
      settings.preconditioner = kind;
      settings.multigrid.cycle = cycle;
      Vector found = interleaved(Eigen::MatrixXd::Zero(rows, num_systems), Precision::f64);
      const SolveReport report =
          solve_linear(repeated, interleaved(b, Precision::f64), found, settings);
      EXPECT_TRUE(report.converged) << report.reason;
      EXPECT_LE((a * columns_of(found) - b).norm(), 1e-10 * b.norm());
      Vector alone = test::upload_vector(Eigen::VectorXd::Zero(rows), Precision::f64);
      const SolveReport of_one =
          solve_linear(matrix, test::upload_vector(b.col(0), Precision::f64), alone, settings);
      EXPECT_LE(report.iterations, of_one.iterations * 1.1 + 2);
      EXPECT_TRUE(kind != PrecondKind::multigrid || report.levels.front().unknowns == rows);
    }
}

} // namespace
} // namespace weft
