// Convection and diffusion by differences, and solves of it, for tests of preconditioners.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>

#include "support/solve_support.h"

namespace weft::test {

// -eps lap(u) + (b, grad u), upwind differences, on n x n points; b turns around the centre.
inline Matrix convection_matrix(int n, double eps) {
  std::vector<Eigen::Triplet<double>> entries;
  const double h = 1.0 / (n + 1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int row = i * n + j;
      const double b[2] = {0.5 - (j + 1) * h, (i + 1) * h - 0.5};
      const int step[2] = {n, 1}, at[2] = {i, j};
      double diagonal = 0;
      for (int d = 0; d < 2; ++d)
        for (const int side : {-1, 1}) {
          const double a = eps / (h * h) + std::max(0., -side * b[d]) / h;
          diagonal += a;
          if (at[d] + side >= 0 && at[d] + side < n)
            entries.emplace_back(row, row + side * step[d], -a);
        }
      entries.emplace_back(row, row, diagonal);
    }
  Matrix matrix(n * n, n * n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Iterations of a solve that has to converge to the solution that is known; in f32 to what that
// allows.
inline int iterations_of(const Matrix &matrix, bool symmetric, SolverSettings settings,
                         Precision precision = Precision::f64) {
  const auto op = sparse(matrix, precision, symmetric);
  const Eigen::VectorXd expected = random_vector(int(matrix.rows()), 1);
  if (precision == Precision::f32)
    settings.tolerance = 1e-5;
  const Solution found = solve_system(*op, matrix * expected, settings);
  EXPECT_TRUE(found.report.converged) << found.report.reason;
  EXPECT_LT((found.x - expected).norm(),
            (precision == Precision::f64 ? 1e-6 : 1e-1) * expected.norm());
  return found.report.iterations;
}

} // namespace weft::test
