// Direct solvers as preconditioners: one iteration, whatever the matrix; singular ones are told.
#include "solve/precondition/precond_direct.h"

#include <Eigen/Dense>
#include <cstdlib>
#include <gtest/gtest.h>

#include "base/error.h"
#include "solve/direct/direct_solver.h"
#include "solve/direct/elimination_cost.h"
#include "solve/direct/sparse_lu.h"
#include "solve/linear/linear.h"
#include "support/solve_support.h"

namespace weft {

using test::download_vector;
using test::Matrix;
using test::random_vector;
using test::Solution;
using test::solve_system;
using test::sparse;
using test::stencil_matrix;
using test::upload_vector;

namespace {

// [A B^T; B 0], A of `size` rows: symmetric, with as many negative eigenvalues as B has rows.
Matrix saddle_matrix(int size, int constraints) {
  std::vector<Eigen::Triplet<double>> entries;
  const Matrix a = stencil_matrix(size, 0.1);
  for (int row = 0; row < size; ++row)
    for (Matrix::InnerIterator e(a, row); e; ++e)
      entries.emplace_back(row, int(e.col()), e.value());
  for (int c = 0; c < constraints; ++c)
    entries.emplace_back(size + c, size + c, 0);
  for (int c = 0; c < constraints; ++c)
    for (const int i : {2 * c, 2 * c + 1, (7 * c + 3) % size}) {
      entries.emplace_back(size + c, i, 1 + 0.1 * i);
      entries.emplace_back(i, size + c, 1 + 0.1 * i);
    }
  Matrix matrix(size + constraints, size + constraints);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Of a chain of springs without a support: constants are its null space.
Matrix floating_chain(int size) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i + 1 < size; ++i) {
    entries.emplace_back(i, i, 1);
    entries.emplace_back(i + 1, i + 1, 1);
    entries.emplace_back(i, i + 1, -1);
    entries.emplace_back(i + 1, i, -1);
  }
  Matrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

SolverSettings direct_settings(PrecondKind preconditioner) {
  return {.method = KrylovKind::gmres, .preconditioner = preconditioner, .tolerance = 1e-12};
}

class Direct : public testing::Test {
protected:
  static void SetUpTestSuite() { setenv("WEFT_MODULE_DIR", WEFT_MODULE_DIR, 0); }
};

TEST_F(Direct, TheModuleIsThere) {
  EXPECT_TRUE(has_direct_module()) << "scripts/packages install direct, then build again";
}

TEST_F(Direct, SolvesWhatIsIndefiniteAndWhatIsNotSymmetric) {
  for (const Precision precision : {Precision::f64, Precision::f32})
    for (const bool symmetric : {true, false}) {
      const Matrix matrix = symmetric ? saddle_matrix(900, 200) : stencil_matrix(1100, 0.1, 3.0);
      const Eigen::VectorXd expected = random_vector(int(matrix.rows()), 1);
      const auto op = sparse(matrix, precision, symmetric);
      SolverSettings settings = direct_settings(PrecondKind::direct);
      if (precision == Precision::f32)
        settings.tolerance = 1e-5;
      const Solution found = solve_system(*op, matrix * expected, settings);
      EXPECT_TRUE(found.report.converged) << found.report.reason;
      EXPECT_LE(found.report.iterations, 3);
      EXPECT_LT((found.x - expected).norm(),
                (precision == Precision::f64 ? 1e-9 : 1e-2) * expected.norm());
      EXPECT_EQ(found.report.library.substr(0, 5), "MUMPS");
      EXPECT_TRUE(found.report.null_pivots.empty());
    }
}

TEST_F(Direct, EigensDecompositionTakesItsPlace) {
  for (const Matrix &matrix : {saddle_matrix(900, 200), stencil_matrix(1100, 0.1, 3.0)}) {
    const Eigen::VectorXd expected = random_vector(int(matrix.rows()), 1);
    const HostMatrix host = sparse(matrix)->host();
    SparseLu lu(host);
    lu.factorise(host);
    Eigen::VectorXd x = matrix * expected;
    lu.solve(x.data());
    EXPECT_LT((x - expected).norm(), 1e-10 * expected.norm());
    EXPECT_GT(lu.factor_entries(), double(matrix.nonZeros()));
  }
  const HostMatrix singular = sparse(0 * saddle_matrix(900, 200))->host();
  SparseLu lu(singular);
  EXPECT_THROW(lu.factorise(singular), Error);
}

TEST_F(Direct, SingularMatricesNameTheRowAndSolveWhatCanBeSolved) {
  const Matrix matrix = floating_chain(400);
  const auto op = sparse(matrix);
  const Solution compatible =
      solve_system(*op, matrix * random_vector(400, 1), direct_settings(PrecondKind::direct));
  EXPECT_TRUE(compatible.report.converged) << compatible.report.reason;
  EXPECT_EQ(compatible.report.null_pivots.size(), 1u);
  const Solution not_compatible =
      solve_system(*op, Eigen::VectorXd::Ones(400), direct_settings(PrecondKind::direct));
  EXPECT_FALSE(not_compatible.report.converged);
  EXPECT_EQ(not_compatible.report.null_pivots.size(), 1u);
}

// MUMPS brings a stub in place of MPI, hypre a real one; in one process neither takes the other's.
TEST_F(Direct, LivesBesideHypre) {
  const Matrix matrix = stencil_matrix(1600, 0.1);
  const Eigen::VectorXd expected = random_vector(1600, 1);
  const auto op = sparse(matrix);
  for (const PrecondKind kind :
       {PrecondKind::direct, PrecondKind::hypre, PrecondKind::direct, PrecondKind::hypre}) {
    const Solution found = solve_system(*op, matrix * expected, direct_settings(kind));
    EXPECT_TRUE(found.report.converged) << found.report.reason;
    EXPECT_LT((found.x - expected).norm(), 1e-9 * expected.norm());
  }
}

TEST_F(Direct, FactorsServeANearMatrixAndNotAFarOne) {
  const Matrix matrix = saddle_matrix(900, 200);
  const Eigen::VectorXd expected = random_vector(1100, 1);
  const auto op = sparse(matrix);
  LinearSolver solver(*op, direct_settings(PrecondKind::direct));
  const auto solve_changed = [&](const Matrix &changed) {
    Vector values{op->values(), changed.nonZeros(), Precision::f64};
    set_vector(test::device(), values, std::span(changed.valuePtr(), changed.nonZeros()));
    op->values_changed();
    solver.update();
    Vector x = upload_vector(Eigen::VectorXd::Zero(1100), Precision::f64);
    const SolveReport report =
        solver.solve(upload_vector(changed * expected, Precision::f64), x, 1e-12);
    EXPECT_TRUE(report.converged) << report.reason;
    EXPECT_LT((download_vector(x) - expected).norm(), 1e-8 * expected.norm());
  };
  // Rows and columns scaled by factors 1 + change sin(3 i): symmetric still.
  const auto scaled = [&](double change) {
    Matrix result = matrix;
    for (int row = 0; row < result.rows(); ++row)
      for (Matrix::InnerIterator e(result, row); e; ++e)
        e.valueRef() *=
            (1 + change * std::sin(3.0 * row)) * (1 + change * std::sin(3.0 * double(e.col())));
    return result;
  };
  solve_changed(scaled(1e-6));
  EXPECT_EQ(solver.num_setups(), 1);
  solve_changed(scaled(0.9));
  EXPECT_EQ(solver.num_setups(), 2);
}

// A chain has no fill: two entries a column, the last one's one. A full matrix has n (n + 1)/2.
TEST(EliminationCost, CountsTheFactorsEntries) {
  const auto pattern_of = [](const Matrix &matrix) { return sparse(matrix)->pattern(); };
  EXPECT_NEAR(elimination_cost(pattern_of(floating_chain(100)), 1).entries, 99 * 1.5 + 0.5, 1e-9);
  const Matrix full = Eigen::MatrixXd::Ones(20, 20).sparseView();
  EXPECT_NEAR(elimination_cost(pattern_of(full), 1).entries, 20 * 20 / 2.0, 1e-9);
  EXPECT_NEAR(elimination_cost(pattern_of(full), 3).entries, 9 * 20 * 20 / 2.0, 1e-9);
  // n^3/3 multiplications and as many additions, of n^3/3 + O(n^2) by L D L^T together.
  EXPECT_NEAR(elimination_cost(pattern_of(full), 3).operations, std::pow(60, 3) / 3, 600);
}

} // namespace
} // namespace weft
