// What shows that timings were disturbed, on timings that are made up.
#include "tune/disturbance.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

const std::vector<double> steady = {1.00, 1.01, 1.02, 1.00, 0.99, 1.03, 1.01};

TEST(Disturbance, NothingShowsOfSteadyTimings) {
  EXPECT_EQ(find_disturbance({.seconds = steady, .num_taken = 7, .num_undisturbed = 7}), "");
  EXPECT_EQ(find_disturbance({.seconds = steady, .others = 0.1}), "");
  EXPECT_EQ(find_disturbance({}), "");
  // One outlier is what medians are for.
  EXPECT_EQ(find_disturbance({.seconds = {1, 1, 1, 1, 1, 1, 9}}), "");
}

TEST(Disturbance, WideSpread) {
  const std::vector<double> wide = {1.0, 1.6, 1.1, 1.5, 1.0, 1.7, 1.2};
  EXPECT_NE(find_disturbance({.seconds = wide}).find("timings differ by"), std::string::npos);
  EXPECT_DOUBLE_EQ(spread_of({3, 1, 2, 4, 5}), 2.0 / 3);
  EXPECT_EQ(spread_of({1, 9}), 0); // of two nothing can be said
}

TEST(Disturbance, LostToDisturbedCores) {
  EXPECT_EQ(find_disturbance({.seconds = steady, .num_taken = 12, .num_undisturbed = 6}), "");
  EXPECT_EQ(find_disturbance({.seconds = steady, .num_taken = 12, .num_undisturbed = 5}),
            "7 of 12 timings were taken beside disturbed cores");
  EXPECT_EQ(count_undisturbed({100, 94, 92, 50}), 2);
  EXPECT_EQ(count_undisturbed({}), 0);
}

TEST(Disturbance, OtherProcesses) {
  EXPECT_EQ(find_disturbance({.seconds = steady, .others = 0.61}),
            "other processes took 61% of the cores");
  EXPECT_EQ(busy_now(0.61), "other processes took 61% of the cores");
  EXPECT_EQ(busy_now(0.05), "");
  EXPECT_EQ(busy_now({}), "");
}

TEST(Disturbance, MoreThanTheLimitAllows) {
  const TimingEvidence quiet{.seconds = steady, .num_taken = 7, .num_undisturbed = 7};
  EXPECT_EQ(find_disturbance(quiet, 1.05, false), "");
  EXPECT_NE(find_disturbance(quiet, 7.19, false).find("719% of the limit"), std::string::npos);
  EXPECT_EQ(find_disturbance(quiet, 7.19, true), ""); // its data lies in a cache
  // Each reason is said.
  const std::string all =
      find_disturbance({.seconds = {1, 2, 3}, .num_taken = 3, .others = 0.5}, 2, false);
  for (const char *part : {"50% of the cores", "3 of 3 timings", "differ by", "200% of the limit"})
    EXPECT_NE(all.find(part), std::string::npos) << all;
}

} // namespace
} // namespace weft
