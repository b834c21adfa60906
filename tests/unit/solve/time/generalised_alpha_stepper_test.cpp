#include "solve/time/generalised_alpha_stepper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "op/assembly/assembled_operator.h"
#include "support/stepped_problem.h"

namespace weft {
namespace {

struct MovingProblem : test::SteppedProblem {
  AssembledOperator op;

  explicit MovingProblem(const std::string &text)
      : SteppedProblem("[mesh]\nbox = { cells = [2, 2], cell = \"triangle\" }\n"
                       "[time]\nend = 1\nstep = 1\n[fields]\nu = { element = \"P2\" }\n" +
                       text),
        op(test::device(), problem.d, {}) {}

private:
  NonlinearOperator &system() override { return op; }
};

TimeSettings steps_of(double radius, double step) {
  return {.scheme = TimeScheme::generalised_alpha,
          .spectral_radius = radius,
          .step = step,
          .stops = {1}};
}

SolverSettings closely() {
  SolverSettings solver{.tolerance = 1e-12};
  solver.newton.tolerance = 1e-12;
  return solver;
}

double moving(double x, double y, double t) {
  return (1 + x + y * y) * std::sin(3 * t + 0.5);
}

// Quadratic in x, so that all error is that of time; all of the boundary is prescribed, and moves.
const std::string damped_wave = R"TOML(
[parameters]
w = "1 + x + y^2"
s = "w*sin(3*t + 0.5)"
[weak_form]
cells.all = "(dt(dt(u)) + 2*dt(u))*test(u) + inner(grad(u), grad(test(u))) - (-9*s + 6*w*cos(3*t + 0.5) - 2*sin(3*t + 0.5))*test(u)"
[dirichlet]
boundary = { u = "s" }
[initial]
u = "w*sin(0.5)"
"dt(u)" = "3*w*cos(0.5)"
)TOML";
const std::string heat_of_first_order = R"TOML(
[parameters]
w = "1 + x + y^2"
[weak_form]
cells.all = "dt(u)*test(u) + inner(grad(u), grad(test(u))) - (3*w*cos(3*t + 0.5) - 2*sin(3*t + 0.5))*test(u)"
[dirichlet]
x0 = { u = "w*sin(3*t + 0.5)" }
x1 = { u = "w*sin(3*t + 0.5)" }
y0 = { u = "w*sin(3*t + 0.5)" }
y1 = { u = "w*sin(3*t + 0.5)" }
[initial]
u = "w*sin(0.5)"
)TOML";

TEST(GeneralisedAlpha, NumbersOfTheLimits) {
  const GeneralisedAlpha keeps(1), damps(0);
  for (const double number : {keeps.alpha_f, keeps.alpha_m, keeps.gamma, keeps.first_alpha_m})
    EXPECT_DOUBLE_EQ(number, 0.5); // the trapezoidal rule
  EXPECT_DOUBLE_EQ(keeps.beta, 0.25);
  EXPECT_DOUBLE_EQ(damps.alpha_f, 1);
  EXPECT_DOUBLE_EQ(damps.alpha_m, 2);
  EXPECT_DOUBLE_EQ(damps.beta, 1);
  EXPECT_DOUBLE_EQ(damps.gamma, 1.5);
}

TEST(GeneralisedAlphaStepper, IsOfOrderTwo) {
  for (const std::string &text : {damped_wave, heat_of_first_order}) {
    MovingProblem problem(text);
    for (const double radius : {1.0, 0.8, 0.0}) {
      const auto error = [&](double step) {
        return problem.error(problem.run(steps_of(radius, step), closely()), moving);
      };
      const double coarse = error(1.0 / 20), fine = error(1.0 / 40);
      EXPECT_TRUE(problem.report.converged) << problem.report.reason;
      EXPECT_LT(fine, 0.02);
      EXPECT_GT(std::log2(coarse / fine), 1.8) << radius << ": " << coarse << ", " << fine;
    }
  }
}

// u'' = -w^2 u, the same everywhere: with spectral_radius 1 the energy is that of the start, else
// it falls; the acceleration at the start is solved for.
TEST(GeneralisedAlphaStepper, KeepsEnergyOrDamps) {
  MovingProblem problem("[weak_form]\ncells.all = \"(dt(dt(u)) + 400*u)*test(u)\"\n[initial]\n"
                        "u = 2\n\"dt(u)\" = 10\n");
  const auto energy = [&](double radius) {
    const TimeState state = problem.run(steps_of(radius, 0.1), closely());
    EXPECT_TRUE(problem.report.converged) << problem.report.reason;
    const double u = state.states[0][0], v = state.rates[0][0], a = state.rates[1][0];
    if (radius == 1) {
      EXPECT_NEAR(a, -400 * u, 1e-6);
    }
    return v * v / 2 + 200 * u * u;
  };
  EXPECT_NEAR(energy(1), 50 + 800, 1e-6);
  EXPECT_LT(energy(0.8), 800);
  EXPECT_LT(energy(0), 5);
}

// A field of second order drives one of first order, whose value a third one is.
TEST(GeneralisedAlphaStepper, OrdersMayDiffer) {
  MovingProblem problem("T = { element = \"P1\" }\nq = { element = \"P1\" }\n[weak_form]\n"
                        "cells.all = \"(dt(dt(u)) + 4*u)*test(u) + (dt(T) - dt(u))*test(T) + "
                        "(q - 3*T)*test(q)\"\n[initial]\nu = 1\nT = 1\n\"dt(u)\" = 2\n");
  const TimeState state = problem.run(steps_of(0.8, 1.0 / 200), closely());
  EXPECT_TRUE(problem.report.converged) << problem.report.reason;
  const double u = std::cos(2.0) + std::sin(2.0);
  EXPECT_NEAR(state.states[0].front(), u, 2e-4);
  EXPECT_NEAR(state.states[0][problem.problem.d.field_offset[1]], u, 2e-4);
  EXPECT_NEAR(state.states[0].back(), 3 * u, 1e-3);
}

TEST(GeneralisedAlphaStepper, AdaptiveStepsFollowTheTolerance) {
  MovingProblem problem(damped_wave);
  std::int64_t before = 0;
  for (const double tolerance : {1e-3, 1e-5}) {
    TimeSettings settings = steps_of(0.8, 0.1);
    settings.tolerance = tolerance;
    const TimeState state = problem.run(settings);
    EXPECT_TRUE(problem.report.converged) << problem.report.reason;
    EXPECT_LT(problem.error(state, moving), 100 * tolerance);
    EXPECT_GT(state.num_steps, before);
    before = state.num_steps;
  }
}

TEST(GeneralisedAlphaStepper, ResumedRunsGiveTheSameBits) {
  MovingProblem problem(damped_wave);
  for (const bool adaptive : {false, true}) {
    TimeSettings settings = steps_of(0.8, 0.1);
    if (adaptive)
      settings.tolerance = 1e-3;
    const TimeState whole = problem.run(settings);
    const TimeState half = problem.run(settings, {}, nullptr, 4);
    ASSERT_EQ(half.rates.size(), 2u);
    const TimeState resumed = problem.run(settings, {}, &half);
    EXPECT_EQ(resumed.states, whole.states);
    EXPECT_EQ(resumed.rates, whole.rates);
  }
}

// dt(u) is in an equation that nothing at the start can fulfil.
TEST(GeneralisedAlphaStepper, NoRateAtTheStartIsSaid) {
  MovingProblem problem("p = { element = \"P1\" }\n[weak_form]\n"
                        "cells.all = \"(u - 1)*test(u) + (dt(u) + dt(p) + p)*test(p)\"\n");
  problem.run(steps_of(0.8, 0.1), closely());
  EXPECT_FALSE(problem.report.converged);
  EXPECT_NE(problem.report.reason.find("no time derivatives at the start"), std::string::npos)
      << problem.report.reason;
}

} // namespace
} // namespace weft
