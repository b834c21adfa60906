// Alternating directions as preconditioners.
#include "solve/precondition/precond_adi.h"

#include <gtest/gtest.h>
#include <numeric>

#include "base/error.h"
#include "solve/linear/linear.h"
#include "support/convection_matrix.h"

namespace weft {
namespace {

using test::convection_matrix;
using test::iterations_of;
using test::sparse;
using test::stencil_matrix;

// Of n x n points in their order.
AdiSettings on_square(int n) {
  AdiSettings adi{.grid = {.size = {n, n, 1}, .unknowns = {}}};
  adi.grid.unknowns.resize(std::size_t(n) * n);
  std::iota(adi.grid.unknowns.begin(), adi.grid.unknowns.end(), 0);
  return adi;
}

TEST(PrecondAdi, NeedsFarFewerIterationsThanJacobi) {
  for (const double eps : {1., 1e-2, 1e-4})
    for (const KrylovKind method : {KrylovKind::bicgstab, KrylovKind::gmres}) {
      SolverSettings settings{
          .method = method, .preconditioner = PrecondKind::jacobi, .adi = on_square(60)};
      const int jacobi = iterations_of(convection_matrix(60, eps), false, settings);
      settings.preconditioner = PrecondKind::adi;
      EXPECT_LT(2 * iterations_of(convection_matrix(60, eps), false, settings), jacobi) << eps;
    }
}

TEST(PrecondAdi, OfASymmetricMatrixIsForGmres) {
  SolverSettings settings{.preconditioner = PrecondKind::adi, .adi = on_square(30)};
  EXPECT_LT(iterations_of(stencil_matrix(900, 0.01), true, settings), 40);
  settings.method = KrylovKind::cg;
  const auto op = sparse(stencil_matrix(900, 0.01));
  EXPECT_THROW(LinearSolver(*op, settings), Error);
}

TEST(PrecondAdi, NeedsAGridAndAMatrix) {
  const auto op = sparse(stencil_matrix(900, 0.01));
  SolverSettings settings{.preconditioner = PrecondKind::adi};
  EXPECT_THROW(LinearSolver(*op, settings), Error);
  settings.adi = on_square(30);
  test::CsrOperator without(stencil_matrix(900, 0.1), Precision::f64);
  EXPECT_THROW(LinearSolver(without, settings), Error);
}

} // namespace
} // namespace weft
