// Defect correction, solvers in low precision as preconditioners, flexible methods, and systems
// whose numbers are very large or very small.
#include "solve/multigrid/defect_correction.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "base/error.h"
#include "solve/linear/linear.h"
#include "solve/linear/make_krylov_method.h"
#include "solve/multigrid/inner_stopping.h"
#include "solve/precondition/precond_low_precision.h"
#include "support/solve_support.h"

namespace weft {

using test::CsrOperator;
using test::download_vector;
using test::Matrix;
using test::random_vector;
using test::Solution;
using test::solve_system;
using test::sparse;
using test::stencil_matrix;
using test::upload_vector;

namespace {

SolverSettings with_low_precision(KrylovKind method, InnerKind inner, Precision precision,
                                  double tolerance = 1e-10) {
  SolverSettings settings;
  settings.method = method;
  settings.preconditioner = PrecondKind::low_precision;
  settings.inner = {.method = inner, .precision = precision};
  settings.tolerance = tolerance;
  settings.max_iterations = 2000;
  settings.restart = 20;
  return settings;
}

double relative_residual(const Matrix &matrix, const Eigen::VectorXd &x, const Eigen::VectorXd &b) {
  return (b - matrix * x).stableNorm() / b.stableNorm();
}

// A chain of springs of different stiffness with changing signs of the unknowns: what belongs to
// the smallest eigenvalue, 1e-5 of the largest, is no constant, which rounding would keep, and bf16
// moves the entries by 2e-3.
Matrix chain(int size) {
  const Eigen::VectorXd random = random_vector(size + 1, 11);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < size; ++i) {
    entries.emplace_back(i, i, 4 + random[i] + random[i + 1]);
    if (i + 1 < size) {
      const double coupling = (i % 3 == 0 ? 1 : -1) * (2 + random[i + 1]);
      entries.emplace_back(i, i + 1, coupling);
      entries.emplace_back(i + 1, i, coupling);
    }
  }
  Matrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

} // namespace

TEST(DefectCorrection, reaches_f64_with_any_inner_solver_in_any_precision) {
  const Matrix matrix = stencil_matrix(10007, 0.05);
  const Eigen::VectorXd b = random_vector(10007, 7);
  const auto op = sparse(matrix);
  for (const InnerKind inner : {InnerKind::jacobi, InnerKind::chebyshev, InnerKind::cg})
    for (const Precision precision : {Precision::f32, Precision::f16, Precision::bf16}) {
      const Solution solved = solve_system(
          *op, b, with_low_precision(KrylovKind::defect_correction, inner, precision, 1e-11));
      EXPECT_TRUE(solved.report.converged) << solved.report.reason;
      EXPECT_LT(relative_residual(matrix, solved.x, b), 1.01e-11);
      EXPECT_EQ(solved.report.history.size(), solved.report.iterations + 1u);
    }
}

TEST(DefectCorrection, iterates_as_often_as_it_is_told_or_as_it_pays) {
  const auto op = sparse(chain(401));
  VectorKernels kernels(test::device(), Precision::f64, 401, 1, {});
  const Vector r = upload_vector(random_vector(401, 7), Precision::f64);
  Vector z = kernels.vector("z"), scratch = kernels.vector("scratch");
  const auto chosen = [&](int given, Precision precision) {
    PrecondLowPrecision precond(
        kernels, {.method = InnerKind::cg, .precision = precision, .iterations = given}, 1);
    precond.update(*op);
    precond.apply(r, z, scratch);
    return precond.iterations();
  };
  EXPECT_EQ(chosen(5, Precision::f16), 5);
  EXPECT_GT(chosen(0, Precision::f32), 8);
}

TEST(DefectCorrection, takes_any_preconditioner) {
  const Matrix matrix = stencil_matrix(597, 0.5);
  const Eigen::VectorXd b = random_vector(597, 7);
  CsrOperator op(matrix, Precision::f64);
  for (const PrecondKind preconditioner : {PrecondKind::jacobi, PrecondKind::chebyshev}) {
    SolverSettings settings;
    settings.method = KrylovKind::defect_correction;
    settings.preconditioner = preconditioner;
    settings.damping = 0.9;
    const Solution solved = solve_system(op, b, settings);
    EXPECT_TRUE(solved.report.converged) << solved.report.reason;
    EXPECT_LT(relative_residual(matrix, solved.x, b), 1.01e-10);
  }
}

TEST(DefectCorrection, with_the_work_groups_of_a_gpu) {
  test::GpuLikeDevice gpu(test::device());
  const Matrix matrix = stencil_matrix(10007, 0.2);
  const Eigen::VectorXd b = random_vector(10007, 7);
  const auto op = sparse(matrix, Precision::f64, true, gpu);
  for (const KrylovKind method : {KrylovKind::defect_correction, KrylovKind::cg}) {
    const Solution solved =
        solve_system(*op, b, with_low_precision(method, InnerKind::chebyshev, Precision::f16));
    EXPECT_TRUE(solved.report.converged) << solved.report.reason;
    EXPECT_LT(relative_residual(matrix, solved.x, b), 1.01e-10);
  }
}

TEST(LowPrecision, preconditions_flexible_methods) {
  const Matrix symmetric = stencil_matrix(10007, 0.01), other = stencil_matrix(10007, 0.01, 0.3);
  const Eigen::VectorXd b = random_vector(10007, 7);
  const auto op = sparse(symmetric);
  const auto unsymmetric = sparse(other, Precision::f64, false);
  for (const Precision precision : {Precision::f32, Precision::f16, Precision::bf16}) {
    for (const InnerKind inner : {InnerKind::jacobi, InnerKind::chebyshev, InnerKind::cg})
      for (const KrylovKind method : {KrylovKind::cg, KrylovKind::gmres}) {
        const Solution solved = solve_system(*op, b, with_low_precision(method, inner, precision));
        EXPECT_TRUE(solved.report.converged) << solved.report.reason;
        EXPECT_LT(relative_residual(symmetric, solved.x, b), 1.01e-10);
        EXPECT_LT(solved.report.iterations, 60);
      }
    for (const KrylovKind method : {KrylovKind::gmres, KrylovKind::bicgstab}) {
      const Solution solved =
          solve_system(*unsymmetric, b, with_low_precision(method, InnerKind::jacobi, precision));
      EXPECT_TRUE(solved.report.converged) << solved.report.reason;
      EXPECT_LT(relative_residual(other, solved.x, b), 1.01e-10);
    }
  }
}

// A preconditioner that says that it varies, though it is Jacobi's: the flexible methods then do
// what the others do, up to rounding.
class SaysThatItVaries : public PrecondJacobi {
public:
  using PrecondJacobi::PrecondJacobi;
  const Vector *inverse_diagonal() const override {
    return hidden ? nullptr : PrecondJacobi::inverse_diagonal();
  }
  bool varies() const override { return hidden; }
  bool hidden = false;
};

TEST(FlexibleMethods, are_the_others_where_the_preconditioner_is_constant) {
  const Matrix matrix = stencil_matrix(597, 0.1);
  CsrOperator op(matrix, Precision::f64);
  VectorKernels kernels(test::device(), Precision::f64, 597, 22, {"cg", "gmres", "jacobi"});
  for (const KrylovKind kind : {KrylovKind::cg, KrylovKind::gmres}) {
    std::array<std::vector<double>, 2> norms;
    std::array<Eigen::VectorXd, 2> solutions;
    for (const int hidden : {0, 1}) {
      SaysThatItVaries precond(kernels);
      precond.update(op);
      precond.hidden = hidden == 1;
      SolverSettings settings;
      settings.restart = 20;
      const auto method = make_krylov_method(kernels, kind, settings);
      Vector x = upload_vector(Eigen::VectorXd::Zero(597), Precision::f64);
      Vector r = upload_vector(random_vector(597, 5), Precision::f64);
      method->run(op, precond, x, r,
                  {.residual_norm = kernels.norm(r),
                   .target_norm = 0,
                   .max_iterations = 20,
                   .on_iteration = [&](double norm) { norms[hidden].push_back(norm); }});
      solutions[hidden] = download_vector(x);
    }
    ASSERT_EQ(norms[0].size(), 20u);
    ASSERT_EQ(norms[1].size(), 20u);
    for (int i = 0; i < 20; ++i)
      EXPECT_NEAR(norms[1][i], norms[0][i], 1e-9 * norms[0][i]);
    EXPECT_LT((solutions[1] - solutions[0]).norm(), 1e-10 * solutions[0].norm());
  }
}

TEST(InnerStopping, goes_on_while_it_pays_and_the_precision_allows) {
  // Nothing is lost to precision: the dearer the update, the more iterations.
  const InnerContraction exact{.iterations = 8, .inner = 0.5, .outer = 0.5};
  EXPECT_EQ(choose_iterations(exact, 3), 32);
  // 0.1 is lost, and 16 iterations would come to 0.06: more of them do not pay.
  const InnerContraction coarse{.iterations = 16, .inner = 0.06, .outer = 0.16};
  EXPECT_LT(choose_iterations(coarse, 1), 16);
  EXPECT_GT(choose_iterations(coarse, 8), choose_iterations(coarse, 1));
  // An iteration that contracts by q = 1/10 down to a floor of 0.01, an update that costs as much:
  // m = 1: log10(1/0.11)/2 = 0.48, m = 2: log10(1/0.02)/3 = 0.57, m = 3: log10(1/0.011)/4 = 0.49.
  EXPECT_EQ(choose_iterations({.iterations = 1, .inner = 0.1, .outer = 0.11}, 1), 2);
  // No contraction yet, and none that is a number.
  EXPECT_EQ(choose_iterations({.iterations = 2, .inner = 1.1, .outer = 1.1}, 1), 8);
  EXPECT_EQ(choose_iterations({.iterations = 8, .inner = std::nan(""), .outer = 1}, 1), 2);
}

TEST(ExtremeNumbers, solve_as_well_as_those_of_size_one) {
  const Matrix matrix = stencil_matrix(597, 0.1);
  const Eigen::VectorXd b = random_vector(597, 7);
  const auto op = sparse(matrix);
  for (const PrecondKind preconditioner :
       {PrecondKind::none, PrecondKind::jacobi, PrecondKind::chebyshev, PrecondKind::low_precision})
    for (const KrylovKind method :
         {KrylovKind::cg, KrylovKind::bicgstab, KrylovKind::gmres, KrylovKind::defect_correction}) {
      if (method == KrylovKind::defect_correction && preconditioner != PrecondKind::low_precision)
        continue;
      SolverSettings settings =
          with_low_precision(method, InnerKind::chebyshev, Precision::f16, 1e-9);
      settings.preconditioner = preconditioner;
      const Solution one = solve_system(*op, b, settings);
      ASSERT_TRUE(one.report.converged) << one.report.reason;
      for (const double size : {1e-300, 1e-200, 1e200, 1e300}) {
        const Solution solved = solve_system(*op, size * b, settings);
        EXPECT_TRUE(solved.report.converged) << size << ": " << solved.report.reason;
        EXPECT_LT(relative_residual(matrix, solved.x / size, b), 1.01e-9) << size;
        EXPECT_NEAR(solved.report.initial_residual / size, b.norm(), 1e-12 * b.norm());
        // b is not quite the same: `size` is no power of two, and its products are rounded.
        EXPECT_NEAR(solved.report.iterations, one.report.iterations,
                    1 + 0.2 * one.report.iterations);
      }
    }
}

TEST(ExtremeNumbers, have_a_norm) {
  VectorKernels kernels(test::device(), Precision::f64, 597, 1, {});
  const Eigen::VectorXd v = random_vector(597, 3);
  for (const double size : {1e-307, 1e-160, 1.0, 1e160, 1e304})
    EXPECT_NEAR(kernels.norm(upload_vector(size * v, Precision::f64)) / size, v.norm(), 1e-12)
        << size;
  EXPECT_EQ(kernels.norm(upload_vector(0 * v, Precision::f64)), 0);
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    Eigen::VectorXd spoilt = 1e-200 * v;
    spoilt[100] = bad;
    EXPECT_FALSE(std::isfinite(kernels.norm(upload_vector(spoilt, Precision::f64))));
  }
}

TEST(LowPrecisionFailure, says_that_the_precision_is_too_coarse) {
  const auto op = sparse(chain(401));
  const Eigen::VectorXd b = random_vector(401, 7);
  SolverSettings settings =
      with_low_precision(KrylovKind::defect_correction, InnerKind::cg, Precision::f32);
  settings.inner.iterations = 600;
  settings.max_iterations = 40;
  const Solution fine = solve_system(*op, b, settings);
  EXPECT_TRUE(fine.report.converged) << fine.report.reason;
  settings.inner.precision = Precision::bf16;
  const Solution coarse = solve_system(*op, b, settings);
  ASSERT_FALSE(coarse.report.converged);
  EXPECT_NE(coarse.report.reason.find("bf16 may be too coarse"), std::string::npos)
      << coarse.report.reason;
  EXPECT_NE(coarse.report.reason.find("\"f32\""), std::string::npos);
  EXPECT_TRUE(coarse.x.allFinite());
}

TEST(LowPrecisionFailure, what_does_not_go_together_is_refused) {
  const auto op = sparse(stencil_matrix(31, 0.1, 0.3), Precision::f64, false);
  const Eigen::VectorXd b = random_vector(31, 7);
  EXPECT_THROW(
      solve_system(*op, b, with_low_precision(KrylovKind::gmres, InnerKind::cg, Precision::f32)),
      Error);
  CsrOperator without(stencil_matrix(31, 0.1), Precision::f64);
  try {
    solve_system(without, b, with_low_precision(KrylovKind::cg, InnerKind::jacobi, Precision::f16));
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(error.diagnostic().remedy.find("operator = \"assembled\""), std::string::npos);
  }
}

TEST(LowPrecision, has_the_same_bits_in_every_run) {
  const auto op = sparse(stencil_matrix(50021, 0.05));
  const Eigen::VectorXd b = random_vector(50021, 5);
  for (const KrylovKind method :
       {KrylovKind::cg, KrylovKind::gmres, KrylovKind::defect_correction}) {
    const SolverSettings settings =
        with_low_precision(method, InnerKind::chebyshev, Precision::f16);
    const Solution one = solve_system(*op, b, settings), two = solve_system(*op, b, settings);
    ASSERT_TRUE(one.report.converged) << one.report.reason;
    EXPECT_EQ(one.report.history, two.report.history);
    EXPECT_EQ(one.x, two.x);
  }
}

} // namespace weft
