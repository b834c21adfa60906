// Solving with sparse factors on a device against plain loops on the host.
#include "solve/approximate/triangular_factors.h"

#include <gtest/gtest.h>
#include <numeric>

#include "solve/approximate/elimination_order.h"
#include "solve/approximate/incomplete_lu.h"
#include "support/eigen_matrix.h"
#include "support/solve_support.h"

namespace weft {
namespace {

using test::Matrix;
using test::random_vector;
using test::stencil_matrix;
using test::to_host;

std::vector<std::int32_t> rows_in_turn(int size) {
  std::vector<std::int32_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Eigen::VectorXd host_solution_of(const HostFactors &factors, std::span<const std::int32_t> order,
                                 const Eigen::VectorXd &b) {
  const auto n = static_cast<std::int32_t>(order.size());
  Eigen::VectorXd x(n), result(n);
  for (std::int32_t row = 0; row < n; ++row) {
    x[row] = b[order[row]];
    for (auto e = factors.lower.row_start[row]; e < factors.lower.row_start[row + 1]; ++e)
      x[row] -= factors.lower.values[e] * x[factors.lower.columns[e]];
  }
  for (std::int32_t row = n - 1; row >= 0; --row) {
    for (auto e = factors.upper.row_start[row]; e < factors.upper.row_start[row + 1]; ++e)
      x[row] -= factors.upper.values[e] * x[factors.upper.columns[e]];
    x[row] /= factors.diagonal[row];
    result[order[row]] = x[row];
  }
  return result;
}

// All but the first and last rows have entries in the first and last columns: a level of many rows
// with many entries in each triangle.
Matrix wide_matrix(int size) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < size; ++i) {
    entries.emplace_back(i, i, 30);
    for (int j = 0; j < 10; ++j)
      if (i >= 10 && i < size - 10) {
        entries.emplace_back(i, j, std::sin(i + 3. * j));
        entries.emplace_back(i, size - 1 - j, std::cos(i - 2. * j));
      }
  }
  Matrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

TEST(TriangularFactors, SolveAsLoopsDo) {
  const std::vector<Matrix> matrices = {stencil_matrix(1, 0.1), stencil_matrix(31, 0.1, 1.5),
                                        stencil_matrix(9973, 0.1, 1.5), wide_matrix(15000)};
  test::GpuLikeDevice gpu_like(test::device());
  for (const Matrix &matrix : matrices)
    for (const int level : {0, 1})
      for (const bool reorders : {false, true}) {
        const HostMatrix host = to_host(matrix);
        const int size = host.num_rows();
        const std::vector<std::int32_t> order =
            reorders ? elimination_order(host) : rows_in_turn(size);
        const HostFactors factors = incomplete_lu(reordered(host, order), {.level = level}).factors;
        const Eigen::VectorXd b = random_vector(size, 3);
        const Eigen::VectorXd expected = host_solution_of(factors, order, b);
        for (const Precision precision : {Precision::f64, Precision::f32})
          for (Device *device : {&test::device(), static_cast<Device *>(&gpu_like)}) {
            TriangularFactors on_device(*device, factors,
                                        reorders ? order : std::vector<std::int32_t>{}, precision);
            const Vector of_b = test::upload_vector(b, precision);
            Vector x = make_vector(test::device(), size, precision, "x");
            on_device.solve(of_b, x);
            const double rounding = precision == Precision::f64 ? 1e-13 : 1e-5;
            EXPECT_LT((test::download_vector(x) - expected).norm(), rounding * expected.norm());
            on_device.solve(x, x); // in place
            const Eigen::VectorXd twice = host_solution_of(factors, order, expected);
            EXPECT_LT((test::download_vector(x) - twice).norm(), 10 * rounding * twice.norm());
            EXPECT_GT(on_device.bytes(), 0u);
          }
      }
}

TEST(TriangularFactors, LevelsHoldRowsThatDoNotNeedOneAnother) {
  const HostMatrix host = to_host(stencil_matrix(400, 0.1)); // 20 x 20 points
  const HostFactors factors = incomplete_lu(host, {}).factors;
  for (const bool backward : {false, true}) {
    const HostMatrix &triangle = backward ? factors.upper : factors.lower;
    const RowLevels levels = find_row_levels(triangle.rows(), backward);
    EXPECT_EQ(levels.level_start.size(), 40u); // the diagonals of the square
    std::vector<int> level_of(400, -1);
    for (int l = 0; l < 39; ++l)
      for (auto p = levels.level_start[l]; p < levels.level_start[l + 1]; ++p)
        level_of[levels.rows[p]] = l;
    for (int row = 0; row < 400; ++row)
      for (auto e = triangle.row_start[row]; e < triangle.row_start[row + 1]; ++e)
        EXPECT_LT(level_of[triangle.columns[e]], level_of[row]);
  }
}

// Small levels share a launch; large ones have their own.
TEST(TriangularFactors, LaunchesAreFew) {
  test::GpuLikeDevice gpu_like(test::device());
  const auto launches = [](Device &device, const Matrix &matrix) {
    return TriangularFactors(device, incomplete_lu(to_host(matrix), {}).factors, {}, Precision::f64)
        .num_launches();
  };
  EXPECT_EQ(launches(test::device(), stencil_matrix(9973, 0.1)), 2);
  EXPECT_EQ(launches(gpu_like, stencil_matrix(9973, 0.1)), 2);
  EXPECT_GE(launches(gpu_like, wide_matrix(15000)), 3);
}

} // namespace
} // namespace weft
