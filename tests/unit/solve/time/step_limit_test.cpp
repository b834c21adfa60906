#include "solve/time/step_limit.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

TEST(StepLimit, DiscsOfSchemes) {
  EXPECT_NEAR(stable_disc(make_runge_kutta(TimeScheme::euler)), 1, 1e-4);
  // Half of the stable part of the real axis bounds them: 2.5127 of order 3, 2.7853 of order 4.
  EXPECT_NEAR(stable_disc(make_runge_kutta(TimeScheme::ssprk3)), 2.5127 / 2, 1e-3);
  EXPECT_NEAR(stable_disc(make_runge_kutta(TimeScheme::rk4)), 2.7853 / 2, 1e-3);
}

TEST(StepLimit, IsNamedWhereAStepIsLonger) {
  const RungeKutta scheme = make_runge_kutta(TimeScheme::ssprk3);
  TimeSettings settings{.scheme = TimeScheme::ssprk3, .step = 0.12, .stops = {1}};
  EXPECT_NO_THROW(check_fixed_step(scheme, settings, 0.1));
  settings.step = 0.13;
  try {
    check_fixed_step(scheme, settings, 0.1);
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find("0.1256"), std::string::npos) << error.what();
  }
}

} // namespace
} // namespace weft
