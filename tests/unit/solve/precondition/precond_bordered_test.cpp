// Matrices with a few full rows and columns.
#include "solve/precondition/precond_bordered.h"

#include <Eigen/Dense>
#include <cstdlib>
#include <gtest/gtest.h>

#include "base/error.h"
#include "solve/linear/linear.h"
#include "solve/precondition/precond_direct.h"
#include "support/solve_support.h"

namespace weft {
namespace {

using test::Matrix;
using test::random_vector;
using test::solve_system;
using test::sparse;
using test::stencil_matrix;

// [A B; C D] with A an unsymmetric stencil, and the border's numbers of any kind.
Matrix bordered_matrix(const Matrix &a, int num_border) {
  const int size = int(a.rows());
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < size; ++row)
    for (Matrix::InnerIterator e(a, row); e; ++e)
      entries.emplace_back(row, int(e.col()), e.value());
  for (int k = 0; k < num_border; ++k) {
    const Eigen::VectorXd column = random_vector(size, 7 + k), row = random_vector(size, 17 + k);
    for (int i = 0; i < size; ++i) {
      entries.emplace_back(i, size + k, 1 + column[i]);
      entries.emplace_back(size + k, i, 10 * (1 + 0.5 * row[i])); // of another unit
    }
    for (int other = 0; other < num_border; ++other)
      entries.emplace_back(size + k, size + other, k == other ? 0 : 2);
  }
  Matrix matrix(size + num_border, size + num_border);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// The five-point stencil without boundary values: constants are its null space.
Matrix singular_matrix(int width) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto couple = [&](int i, int j) {
    entries.insert(entries.end(), {{i, i, 1}, {j, j, 1}, {i, j, -1}, {j, i, -1}});
  };
  for (int y = 0; y < width; ++y)
    for (int x = 0; x < width; ++x) {
      if (x + 1 < width)
        couple(y * width + x, y * width + x + 1);
      if (y + 1 < width)
        couple(y * width + x, (y + 1) * width + x);
    }
  Matrix matrix(width * width, width * width);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

SolveReport solve_bordered(const Matrix &matrix, SolverSettings settings, int num_border) {
  setenv("WEFT_MODULE_DIR", WEFT_MODULE_DIR, 0);
  settings.num_border = num_border;
  settings.tolerance = 1e-10;
  const auto op = sparse(matrix, Precision::f64, false);
  const Eigen::VectorXd expected = random_vector(int(matrix.rows()), 1);
  const auto [report, x] = solve_system(*op, matrix * expected, settings);
  EXPECT_TRUE(report.converged) << report.reason;
  EXPECT_LT((x - expected).norm(), 1e-5 * expected.norm());
  return report;
}

TEST(PrecondBordered, IsExactWhereTheBlockInsideIs) {
  const Matrix matrix = bordered_matrix(stencil_matrix(900, 0.1, 0.3), 3);
  VectorKernels kernels(test::device(), Precision::f64, matrix.rows(), 4, {"jacobi"});
  const auto op = sparse(matrix, Precision::f64, false);
  PrecondBordered precond(kernels, 3, {}, [](VectorKernels &inside) {
    return std::make_unique<PrecondDirect>(inside, false);
  });
  precond.update(*op);
  SolverSettings settings{.method = KrylovKind::gmres, .tolerance = 1e-10};
  LinearSolver solver(*op, settings,
                      std::shared_ptr<Preconditioner>(&precond, [](Preconditioner *) {}));
  const Eigen::VectorXd expected = random_vector(int(matrix.rows()), 1);
  const Vector b = test::upload_vector(matrix * expected, Precision::f64);
  Vector x = kernels.vector("x");
  const SolveReport report = solver.solve_from_zero(b, x, 1e-10);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 2);
  EXPECT_LT((test::download_vector(x) - expected).norm(), 1e-8 * expected.norm());
}

TEST(PrecondBordered, ServesWithEveryPreconditionerInside) {
  const Matrix matrix = bordered_matrix(stencil_matrix(900, 0.1), 2);
  for (const PrecondKind kind :
       {PrecondKind::jacobi, PrecondKind::chebyshev, PrecondKind::multigrid, PrecondKind::ilu,
        PrecondKind::spai, PrecondKind::direct})
    for (const KrylovKind method : {KrylovKind::gmres, KrylovKind::bicgstab}) {
      const SolveReport report =
          solve_bordered(matrix, {.method = method, .preconditioner = kind}, 2);
      EXPECT_LE(report.iterations, kind == PrecondKind::jacobi ? 200 : 80) << int(kind);
    }
}

TEST(PrecondBordered, ServesWhereTheBlockInsideIsSingular) {
  const Matrix matrix = bordered_matrix(singular_matrix(60), 1);
  for (const Precision precision : {Precision::f64, Precision::f16}) {
    SolverSettings settings{.method = KrylovKind::gmres, .preconditioner = PrecondKind::multigrid};
    settings.multigrid.precisions = {precision};
    EXPECT_LE(solve_bordered(matrix, settings, 1).iterations, 30);
  }
}

TEST(PrecondBordered, SaysWhatNoEquationDetermines) {
  Matrix matrix = bordered_matrix(stencil_matrix(100, 0.1), 1);
  for (int row = 0; row <= 100; ++row)
    matrix.coeffRef(row, 100) = 0;
  const auto op = sparse(matrix, Precision::f64, false);
  SolverSettings settings{.method = KrylovKind::gmres, .num_border = 1};
  EXPECT_THROW(LinearSolver(*op, settings), Error);
}

} // namespace
} // namespace weft
