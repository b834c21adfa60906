// Axes of plots: ends at ticks of 1, 2 and 5 times powers of ten.
#include "output/plot/axis.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

std::vector<std::string> labels_of(const Axis &axis) {
  std::vector<std::string> labels;
  for (const Tick &tick : axis.ticks)
    labels.push_back(tick.label);
  return labels;
}

using Labels = std::vector<std::string>;

TEST(Axis, IsLinearBetweenTicks) {
  const Axis axis = make_axis(0.13, 0.97, false, 5);
  EXPECT_DOUBLE_EQ(axis.low, 0);
  EXPECT_DOUBLE_EQ(axis.high, 1);
  EXPECT_EQ(labels_of(axis), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_DOUBLE_EQ(axis.fraction(0.25), 0.25);
}

TEST(Axis, HoldsNegativeAndLargeValues) {
  const Axis axis = make_axis(-3e6, 9e6, false, 5);
  EXPECT_DOUBLE_EQ(axis.low, -5e6);
  EXPECT_DOUBLE_EQ(axis.high, 10e6);
  EXPECT_EQ(labels_of(axis), (Labels{"-5e6", "0", "5e6", "1e7"}));
}

TEST(Axis, OfOneValueHasItInTheMiddle) {
  for (const double value : {0.0, 20.0, -3e-7}) {
    const Axis axis = make_axis(value, value, false, 5);
    EXPECT_LT(axis.low, value);
    EXPECT_GT(axis.high, value);
    EXPECT_GE(axis.ticks.size(), 3U);
  }
}

// Values of an energy that is conserved but for rounding.
TEST(Axis, OfValuesThatDifferByRoundingHasFewTicks) {
  const Axis axis = make_axis(20, 20 + 1e-14, false, 6);
  EXPECT_LT(axis.low, axis.high);
  EXPECT_LT(axis.ticks.size(), 20U);
}

TEST(Axis, IsLogarithmicInDecades) {
  const Axis axis = make_axis(3e-9, 0.5, true, 5);
  EXPECT_DOUBLE_EQ(axis.low, 1e-9);
  EXPECT_DOUBLE_EQ(axis.high, 1);
  EXPECT_NEAR(axis.fraction(1e-3), 2. / 3, 1e-12);
  EXPECT_EQ(labels_of(axis), (Labels{"1e-9", "", "1e-7", "", "1e-5", "", "1e-3", "", "0.1", ""}));
}

TEST(Axis, OfOneDecadeHasItsParts) {
  EXPECT_EQ(labels_of(make_axis(12, 70, true, 5)), (Labels{"10", "20", "50", "100"}));
}

} // namespace
} // namespace weft
