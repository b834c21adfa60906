#include "solve/nonlinear/watchdog.h"

#include <gtest/gtest.h>

#include "support/solve_support.h"

namespace weft {
namespace {

TEST(Watchdog, GivesCreditForAFewStepsAndTakesThemBack) {
  VectorKernels kernels(test::device(), Precision::f64, 8, 1, {});
  const auto state = [](double value) {
    return test::upload_vector(Eigen::VectorXd::Constant(8, value), Precision::f64);
  };
  Watchdog watchdog;
  watchdog.take(state(1), 10, 5, kernels); // no credit needed
  EXPECT_FALSE(watchdog.watches());
  EXPECT_FALSE(watchdog.allows(5, 1e7));
  EXPECT_FALSE(watchdog.allows(5, std::nan("")));
  ASSERT_TRUE(watchdog.allows(5, 500));
  watchdog.take(state(2), 5, 500, kernels);
  EXPECT_TRUE(watchdog.watches());
  watchdog.take(state(3), 500, 4, kernels); // paid back
  EXPECT_FALSE(watchdog.watches());

  double norm = 4;
  int steps = 0;
  for (; watchdog.allows(norm, norm + 1); ++steps)
    watchdog.take(state(10 + steps), norm, norm + 1, kernels), norm += 1;
  EXPECT_EQ(steps, 8);
  Vector u = state(99);
  EXPECT_EQ(watchdog.take_back(u, kernels), 4);
  EXPECT_EQ(test::download_vector(u), Eigen::VectorXd::Constant(8, 10));
  EXPECT_FALSE(watchdog.allows(4, 5)); // once and no more
  watchdog.reset();
  EXPECT_TRUE(watchdog.allows(4, 5));
}

} // namespace
} // namespace weft
