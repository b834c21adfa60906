#include "solve/time/step_limit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "base/error.h"

namespace weft {
namespace {

TEST(StepLimit, DiscsOfSchemes) {
  EXPECT_NEAR(stable_disc(make_runge_kutta(TimeScheme::euler)), 1, 1e-4);
  // Half of the stable part of the real axis bounds them: 2.5127 of order 3, 2.7853 of order 4.
  EXPECT_NEAR(stable_disc(make_runge_kutta(TimeScheme::ssprk3)), 2.5127 / 2, 1e-3);
  EXPECT_NEAR(stable_disc(make_runge_kutta(TimeScheme::rk4)), 2.7853 / 2, 1e-3);
}

// Where the imaginary and the real axis leave the stable part of the plane: 2 sqrt(2) and 2.7853 of
// order 4, sqrt(3) and 2.5127 of order 3 (Hairer and Wanner 1996, section IV.2).
TEST(StepLimit, StepsForEigenvalues) {
  using Complex = std::complex<double>;
  const RungeKutta rk4 = make_runge_kutta(TimeScheme::rk4);
  const RungeKutta ssprk3 = make_runge_kutta(TimeScheme::ssprk3);
  EXPECT_NEAR(stable_step(rk4, {Complex(0, 10), Complex(0, -5)}), std::sqrt(8.) / 10, 1e-5);
  EXPECT_NEAR(stable_step(rk4, {Complex(-100, 0), Complex(0, 10)}), 2.7853 / 100, 1e-5);
  EXPECT_NEAR(stable_step(ssprk3, {Complex(0, 1)}), std::sqrt(3.), 1e-5);
  EXPECT_NEAR(stable_step(ssprk3, {Complex(-1, 0)}), 2.5127, 1e-4);
  EXPECT_NEAR(stable_step(make_runge_kutta(TimeScheme::euler), {Complex(-1, 1)}), 1, 1e-5);
  // What grows by itself does so with any step.
  EXPECT_NEAR(stable_step(rk4, {Complex(3, 10), Complex(5, 0)}), std::sqrt(8.) / 10, 1e-5);
  EXPECT_TRUE(std::isinf(stable_step(rk4, {Complex(5, 0)})));
  EXPECT_TRUE(std::isinf(stable_step(rk4, {})));
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
