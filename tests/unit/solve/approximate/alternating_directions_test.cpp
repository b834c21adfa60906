// Alternating directions: exact of Kronecker products, and what their factors say of others.
#include "solve/approximate/alternating_directions.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <unsupported/Eigen/KroneckerProduct>

#include "base/error.h"
#include "support/eigen_matrix.h"
#include "support/solve_support.h"

namespace weft {
namespace {

using test::Matrix;
using test::random_vector;
using test::to_host;
using Dense = Eigen::MatrixXd;

Dense tridiagonal(int size, double seed) {
  Dense t = Dense::Zero(size, size);
  for (int i = 0; i < size; ++i) {
    t(i, i) = 4 + std::sin(seed + i);
    if (i + 1 < size) {
      t(i, i + 1) = -1 + 0.5 * std::cos(seed * i);
      t(i + 1, i) = -1.5;
    }
  }
  return t;
}

// Unknown (7 p) % size is that of point p; `size` and 7 have no common factor.
TensorGrid shuffled_grid(std::array<std::int64_t, 3> size, int components = 1) {
  TensorGrid grid{.size = size, .components = components, .unknowns = {}};
  for (std::int64_t p = 0; p < grid.num_unknowns(); ++p)
    grid.unknowns.push_back(static_cast<std::int32_t>(7 * p % grid.num_unknowns()));
  return grid;
}

// A matrix in the order of the grid in that of its unknowns.
Matrix in_order_of_unknowns(const Matrix &of_points, const TensorGrid &grid) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < of_points.rows(); ++row)
    for (Matrix::InnerIterator e(of_points, row); e; ++e)
      entries.emplace_back(grid.unknowns[row], grid.unknowns[e.col()], e.value());
  Matrix matrix(of_points.rows(), of_points.cols());
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Eigen::VectorXd applied(const Matrix &matrix, const TensorGrid &grid, const Eigen::VectorXd &r,
                        Precision precision, bool in_place = false) {
  AlternatingDirections directions(test::device(), to_host(matrix), grid, precision);
  Vector of_r = test::upload_vector(r, precision);
  Vector z = in_place ? of_r : make_vector(test::device(), r.size(), precision, "z");
  directions.apply(of_r, z);
  return test::download_vector(z);
}

TEST(AlternatingDirections, AreExactOfKroneckerProducts) {
  const std::vector<std::array<std::int64_t, 3>> sizes = {
      {1, 1, 1}, {23, 1, 1}, {1, 9, 1}, {11, 9, 1}, {10, 1, 9}, {5, 4, 6}, {130, 3, 1}};
  for (const auto &size : sizes)
    for (const int components : {1, 2}) {
      const TensorGrid grid = shuffled_grid(size, components);
      const Dense a =
          Eigen::kroneckerProduct(tridiagonal(int(size[2]), 0.3),
                                  Dense(Eigen::kroneckerProduct(tridiagonal(int(size[1]), 0.7),
                                                                tridiagonal(int(size[0]), 1.1))))
              .eval();
      const Matrix of_points =
          Dense(Eigen::kroneckerProduct(a, Dense::Identity(components, components))).sparseView();
      const Matrix matrix = in_order_of_unknowns(of_points, grid);
      const Eigen::VectorXd expected = random_vector(int(matrix.rows()), 2);
      const Eigen::VectorXd r = matrix * expected;
      EXPECT_LT((applied(matrix, grid, r, Precision::f64) - expected).norm(),
                1e-12 * expected.norm());
      EXPECT_LT((applied(matrix, grid, r, Precision::f64, true) - expected).norm(),
                1e-12 * expected.norm());
      EXPECT_LT((applied(matrix, grid, r, Precision::f32) - expected).norm(),
                1e-4 * expected.norm());
    }
}

// Of nine bands that are no product: M = T_x D^-1 T_y by dense matrices.
TEST(AlternatingDirections, AreTheProductOfTheirFactors) {
  const std::array<std::int64_t, 3> size = {9, 8, 1};
  const TensorGrid grid = shuffled_grid(size);
  Dense a = Dense::Zero(72, 72), along_x = a, along_y = a, diagonal = a;
  for (int row = 0; row < 72; ++row)
    for (int column = 0; column < 72; ++column) {
      const int dx = std::abs(row % 9 - column % 9), dy = std::abs(row / 9 - column / 9);
      if (dx > 1 || dy > 1)
        continue;
      a(row, column) = dx + dy == 0 ? 9 + std::sin(row) : -1 + 0.7 * std::cos(row + 3. * column);
      if (dx + dy == 0)
        diagonal(row, row) = a(row, row);
      if (dy == 0)
        along_x(row, column) = a(row, column);
      if (dx == 0)
        along_y(row, column) = a(row, column);
    }
  const Dense m = along_x * diagonal.inverse() * along_y;
  const Eigen::VectorXd r = random_vector(72, 5);
  Eigen::VectorXd of_points(72);
  for (int p = 0; p < 72; ++p)
    of_points[p] = r[grid.unknowns[p]];
  const Eigen::VectorXd expected = m.partialPivLu().solve(of_points);
  const Eigen::VectorXd found =
      applied(in_order_of_unknowns(a.sparseView(), grid), grid, r, Precision::f64);
  for (int p = 0; p < 72; ++p)
    EXPECT_NEAR(found[grid.unknowns[p]], expected[p], 1e-12);
}

TEST(AlternatingDirections, RefuseWhatIsNoGrid) {
  const Matrix matrix = Dense(tridiagonal(12, 0.5)).sparseView();
  const auto refused = [&](const Matrix &of, const TensorGrid &grid, ErrorKind kind) {
    try {
      AlternatingDirections(test::device(), to_host(of), grid, Precision::f64);
      return false;
    } catch (const Error &error) {
      return error.kind() == kind;
    }
  };
  EXPECT_TRUE(refused(matrix, shuffled_grid({4, 3, 1}), ErrorKind::input)); // entries too far
  EXPECT_TRUE(refused(matrix, shuffled_grid({13, 1, 1}), ErrorKind::input));
  Matrix singular = in_order_of_unknowns(matrix, shuffled_grid({12, 1, 1}));
  singular.coeffRef(0, 0) = 0; // the first of the line
  EXPECT_TRUE(refused(singular, shuffled_grid({12, 1, 1}), ErrorKind::numerical));
}

} // namespace
} // namespace weft
