#include "op/law/mesh/fv_least_squares.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace weft {
namespace {

// The gradient of the linear function with slope `a`, from its samples.
template <std::size_t dim>
std::array<double, dim> gradient(const std::vector<double> &towards,
                                 const std::array<double, dim> &a) {
  std::vector<double> weights(towards.size(), -1);
  least_squares_weights(dim, towards, weights);
  std::array<double, dim> g{};
  for (std::size_t s = 0; s < towards.size() / dim; ++s) {
    double change = 0;
    for (std::size_t d = 0; d < dim; ++d)
      change += a[d] * towards[s * dim + d];
    for (std::size_t d = 0; d < dim; ++d)
      g[d] += weights[s * dim + d] * change;
  }
  return g;
}

TEST(LeastSquares, AreExactForLinearFunctions) {
  const auto g = gradient<3>({1, 0.2, 0, -1, 0, 0.1, 0, 2, 0.5, 0.1, -0.2, -3}, {2, -1, 0.5});
  EXPECT_NEAR(g[0], 2, 1e-14);
  EXPECT_NEAR(g[1], -1, 1e-14);
  EXPECT_NEAR(g[2], 0.5, 1e-14);
}

// By hand: along (3, 4)/5 the slope is that of both samples, across it nothing is known.
TEST(LeastSquares, HaveTheShortestGradientWhereSamplesAreOnALine) {
  const auto g = gradient<2>({3, 4, -6, -8}, {1, 1});
  EXPECT_NEAR(g[0], 7.0 / 5 * 3 / 5, 1e-14);
  EXPECT_NEAR(g[1], 7.0 / 5 * 4 / 5, 1e-14);
}

// Sum of (g - change)^2/r^2 over r = 1 and r = -2 along x: nearer samples do not count more than
// their slope, each equation being divided by its distance.
TEST(LeastSquares, WeighSlopesAlike) {
  std::vector<double> weights(4);
  least_squares_weights(2, std::vector<double>{1, 0, -2, 0}, weights);
  EXPECT_NEAR(weights[0], 0.5, 1e-15);
  EXPECT_NEAR(weights[2], -0.25, 1e-15);
}

TEST(LeastSquares, LeaveSamplesWithoutAPlaceOut) {
  std::vector<double> weights(6, -1);
  least_squares_weights(2, std::vector<double>{0, 0, 1, 0, 0, 2}, weights);
  EXPECT_EQ(weights[0], 0);
  EXPECT_EQ(weights[1], 0);
  EXPECT_NEAR(weights[2], 1, 1e-15);
  EXPECT_NEAR(weights[5], 0.5, 1e-15);
}

} // namespace
} // namespace weft
