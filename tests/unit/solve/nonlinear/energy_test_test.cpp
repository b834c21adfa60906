#include "solve/nonlinear/energy_test.h"

#include <gtest/gtest.h>

#include "support/solve_support.h"

namespace weft {

using test::CsrOperator;
using test::Matrix;
using test::random_vector;
using test::stencil_matrix;
using test::upload_vector;

// The energy of a linear equation is a parabola along a Newton step, with its bottom at 1: twice
// the step is as high as its beginning.
TEST(EnergyTest, OfAParabola) {
  constexpr int size = 100;
  const Matrix matrix = stencil_matrix(size, 0.1);
  const Eigen::VectorXd solution = random_vector(size, 1), first = random_vector(size, 2);
  const Eigen::VectorXd b = matrix * solution, whole = first - solution;
  CsrOperator op(matrix, Precision::f64, true, 0, b);
  VectorKernels kernels(op.device(), Precision::f64, size, 2, {});
  Vector u = upload_vector(first, Precision::f64);
  Vector half = kernels.vector("half"), half_residual = kernels.vector("half");
  const auto falls = [&](double factor, double sign) {
    const Vector step = upload_vector(sign * whole, Precision::f64);
    const Vector before = upload_vector(matrix * first - b, Precision::f64);
    const Vector after =
        upload_vector(matrix * (first - factor * sign * whole) - b, Precision::f64);
    return energy_falls(
        op, kernels, {.u = u, .step = step, .factor = factor, .residual = before, .after = after},
        half, half_residual);
  };
  EXPECT_TRUE(falls(1, 1));
  EXPECT_TRUE(falls(0.01, 1));
  EXPECT_TRUE(falls(1.99, 1));
  EXPECT_FALSE(falls(2.01, 1));
  EXPECT_FALSE(falls(0.01, -1)); // uphill
}

} // namespace weft
