#include "solve/nonlinear/natural_damping.h"

#include <cmath>
#include <gtest/gtest.h>

namespace weft {
namespace {

// Newton's method for arctan(u) = 0 from u = 10: full steps run away, and the test says so.
TEST(NaturalDamping, TamesTheArcTangent) {
  NaturalDamping damping({});
  double u = 10;
  int steps = 0;
  for (; std::abs(u) > 1e-10 && steps < 20; ++steps) {
    const double slope = 1 / (1 + u * u), step = std::atan(u) / slope;
    double factor = damping.start({u}, {step});
    for (;;) {
      const auto verdict = damping.judge(factor, {std::atan(u - factor * step) / slope});
      if (verdict.accepted)
        break;
      EXPECT_LT(verdict.next, factor);
      factor = verdict.next;
      ASSERT_GT(factor, 1e-6);
    }
    EXPECT_LT(std::abs(std::atan(u - factor * step)), std::abs(std::atan(u)));
    u -= factor * step;
  }
  EXPECT_LE(std::abs(u), 1e-10);
}

// What the equations are multiplied with, and each field's unit, change nothing.
TEST(NaturalDamping, WeighsFieldsByTheirSizes) {
  const std::vector<FieldDofs> fields = {{0, 1}, {1, 1}};
  const auto first_verdict = [&](double unit) {
    NaturalDamping damping(fields);
    EXPECT_EQ(damping.start({1, 2 * unit}, {0.5, -unit}), 1);
    EXPECT_NEAR(damping.step_norm(), std::sqrt(0.5), 1e-12);
    return damping.judge(1, {0.1, 1.5 * unit});
  };
  const auto verdict = first_verdict(1), scaled = first_verdict(1e6);
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(verdict.accepted, scaled.accepted);
  EXPECT_NEAR(verdict.next, scaled.next, 1e-12);
}

// After a judged step the next factor follows from how much the step changed.
TEST(NaturalDamping, RemembersHowNonlinearItIs) {
  NaturalDamping damping({});
  EXPECT_EQ(damping.start({1}, {1}), 1);
  EXPECT_TRUE(damping.judge(0.5, {0.7}).accepted);
  // |0.7 - 2| = 1.3 against 0.5 * 1 * 0.7 / 2
  EXPECT_NEAR(damping.start({1}, {2}), 0.5 * 0.7 / (1.3 * 2), 1e-12);
  damping.take_unjudged();
  EXPECT_EQ(damping.start({1}, {2}), 1);
}

} // namespace
} // namespace weft
