// Incomplete factors as preconditioners.
#include "solve/precondition/precond_ilu.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "solve/linear/linear.h"
#include "solve/precondition/name_of_dof.h"
#include "support/convection_matrix.h"

namespace weft {
namespace {

using test::convection_matrix;
using test::iterations_of;
using test::Matrix;
using test::random_vector;
using test::sparse;
using test::stencil_matrix;

TEST(PrecondIlu, NeedsFarFewerIterationsThanJacobiOfConvection) {
  for (const double eps : {1., 1e-2, 1e-4}) {
    const Matrix matrix = convection_matrix(60, eps);
    for (const KrylovKind method : {KrylovKind::bicgstab, KrylovKind::gmres}) {
      SolverSettings settings{.method = method, .preconditioner = PrecondKind::jacobi};
      const int jacobi = iterations_of(matrix, false, settings);
      settings.preconditioner = PrecondKind::ilu;
      const int ilu = iterations_of(matrix, false, settings);
      settings.ilu.level = 2;
      const int filled = iterations_of(matrix, false, settings);
      EXPECT_LT(3 * ilu, jacobi) << eps;
      EXPECT_LT(1.5 * filled, ilu) << eps;
    }
  }
}

TEST(PrecondIlu, ServesCgOfSymmetricMatrices) {
  const Matrix matrix = stencil_matrix(4900, 0.001);
  SolverSettings settings{.method = KrylovKind::cg, .preconditioner = PrecondKind::jacobi};
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    settings.preconditioner = PrecondKind::jacobi;
    const int jacobi = iterations_of(matrix, true, settings, precision);
    settings.preconditioner = PrecondKind::ilu;
    EXPECT_LT(2 * iterations_of(matrix, true, settings, precision), jacobi);
  }
}

TEST(PrecondIlu, WithAllFillLeavesOneIteration) {
  const SolverSettings settings{
      .method = KrylovKind::gmres, .preconditioner = PrecondKind::ilu, .ilu = {.level = 1000}};
  EXPECT_LE(iterations_of(stencil_matrix(900, 0.1, 2), false, settings), 2);
}

TEST(PrecondIlu, IsRefusedWhereItIsNone) {
  const auto op = sparse(stencil_matrix(100, 0.1, 2), Precision::f64, false);
  const SolverSettings settings{.method = KrylovKind::cg, .preconditioner = PrecondKind::ilu};
  EXPECT_THROW(LinearSolver(*op, settings), Error);
  test::CsrOperator without(stencil_matrix(100, 0.1), Precision::f64);
  EXPECT_THROW(LinearSolver(without, settings), Error);
}

TEST(PrecondIlu, NamesTheDofOfARowOfZeros) {
  Matrix matrix = stencil_matrix(100, 0.1);
  for (Matrix::InnerIterator e(matrix, 47); e; ++e)
    e.valueRef() = 0;
  const auto op = sparse(matrix, Precision::f64, false);
  SolverSettings settings{.method = KrylovKind::gmres, .preconditioner = PrecondKind::ilu};
  settings.fields = {{0, 1, "p"}, {40, 3, "u"}};
  try {
    LinearSolver solver(*op, settings);
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
    EXPECT_EQ(error.diagnostic().where, "row 47, field u, component 1, node 2");
  }
}

TEST(NameOfDof, SaysWhatIsKnown) {
  EXPECT_EQ(name_of_dof(7, {}), "row 7");
  EXPECT_EQ(name_of_dof(7, {{0, 1}}), "row 7, node 7");
  EXPECT_EQ(name_of_dof(7, {{0, 2, "u"}, {8, 1, "p"}}), "row 7, field u, component 1, node 3");
  EXPECT_EQ(name_of_dof(8, {{0, 2, "u"}, {8, 1, "p"}}), "row 8, field p, node 0");
}

// Factors of an earlier matrix serve a near one and not a far one.
TEST(PrecondIlu, FactorsAreKeptAsLongAsTheyDo) {
  const Matrix matrix = convection_matrix(40, 1e-4);
  const Matrix against_the_wind = matrix.transpose();
  const auto op = sparse(matrix, Precision::f64, false);
  LinearSolver solver(*op, {.method = KrylovKind::gmres, .preconditioner = PrecondKind::ilu});
  const Eigen::VectorXd expected = random_vector(1600, 1);
  const auto solve_for = [&](const Matrix &now) {
    Vector x = test::upload_vector(Eigen::VectorXd::Zero(1600), Precision::f64);
    const SolveReport report =
        solver.solve(test::upload_vector(now * expected, Precision::f64), x, 1e-10);
    EXPECT_TRUE(report.converged) << report.reason;
  };
  const auto solve_changed = [&](const Matrix &changed) {
    Vector values{op->values(), changed.nonZeros(), Precision::f64};
    set_vector(test::device(), values, std::span(changed.valuePtr(), changed.nonZeros()));
    op->values_changed();
    solver.update();
    solve_for(changed);
  };
  solve_for(matrix);
  solve_changed(1.01 * matrix);
  EXPECT_EQ(solver.num_setups(), 1);
  solve_changed(against_the_wind); // the old factors take far more iterations
  solve_changed(against_the_wind);
  EXPECT_EQ(solver.num_setups(), 2);
}

} // namespace
} // namespace weft
