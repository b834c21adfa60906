// Sparse approximate inverses as preconditioners.
#include "solve/precondition/precond_spai.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "solve/linear/linear.h"
#include "support/convection_matrix.h"

namespace weft {
namespace {

using test::convection_matrix;
using test::iterations_of;
using test::sparse;
using test::stencil_matrix;

TEST(PrecondSpai, NeedsFewerIterationsThanJacobi) {
  for (const double eps : {1., 1e-2, 1e-4})
    for (const KrylovKind method : {KrylovKind::bicgstab, KrylovKind::gmres}) {
      SolverSettings settings{.method = method, .preconditioner = PrecondKind::jacobi};
      const int jacobi = iterations_of(convection_matrix(60, eps), false, settings);
      settings.preconditioner = PrecondKind::spai;
      EXPECT_LT(1.3 * iterations_of(convection_matrix(60, eps), false, settings), jacobi) << eps;
    }
}

TEST(PrecondSpai, ServesCgOfSymmetricMatrices) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    SolverSettings settings{.method = KrylovKind::cg, .preconditioner = PrecondKind::jacobi};
    const int jacobi = iterations_of(stencil_matrix(4900, 0.001), true, settings, precision);
    settings.preconditioner = PrecondKind::spai;
    EXPECT_LT(1.3 * iterations_of(stencil_matrix(4900, 0.001), true, settings, precision), jacobi);
  }
}

TEST(PrecondSpai, IsRefusedWhereItIsNone) {
  const auto op = sparse(stencil_matrix(100, 0.1, 2), Precision::f64, false);
  const SolverSettings settings{.method = KrylovKind::cg, .preconditioner = PrecondKind::spai};
  EXPECT_THROW(LinearSolver(*op, settings), Error);
  test::CsrOperator without(stencil_matrix(100, 0.1), Precision::f64);
  EXPECT_THROW(LinearSolver(without, settings), Error);
}

} // namespace
} // namespace weft
