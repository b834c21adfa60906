#include "solve/time/implicit_stepper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "op/evaluate/field_values.h"
#include "op/weak_form/form_operator.h"
#include "support/moving_heat.h"
#include "support/stepped_problem.h"

namespace weft {
namespace {

const std::string square = "[mesh]\nbox = { cells = [2, 2], cell = \"triangle\" }\n"
                           "[time]\nend = 1\nstep = 1\n[fields]\nu = { element = \"P2\" }\n";

// A weak form on that square.
struct Transient : test::SteppedProblem {
  FormOperator op;

  explicit Transient(const std::string &text)
      : SteppedProblem(square + text), op(test::device(), problem.d, {}) {}

private:
  NonlinearOperator &system() override { return op; }
};

TimeSettings fixed(TimeScheme scheme, double theta, double step) {
  return {.scheme = scheme, .theta = theta, .step = step, .stops = {1}};
}

// The same solution where capacity and conductivity depend on it.
const std::string nonlinear_heat = R"TOML(
[parameters]
w = "1 + x + y^2"
s = "w*sin(3*t)"
[weak_form]
cells.all = "(2 + u^2)*dt(u)*test(u) + (1 + u)*inner(grad(u), grad(test(u))) - ((2 + s^2)*3*w*cos(3*t) - (1 + s)*2*sin(3*t) - sin(3*t)^2*(1 + 4*y^2))*test(u)"
[dirichlet]
boundary = { u = "s" }
)TOML";

void expect_orders(const std::string &text) {
  Transient transient(text);
  struct Expected {
    TimeScheme scheme;
    double theta, order;
  };
  for (const Expected &e : {Expected{TimeScheme::theta, 1, 1}, Expected{TimeScheme::theta, 0.5, 2},
                            Expected{TimeScheme::bdf2, 0, 2}}) {
    const double coarse =
        transient.error(transient.run(fixed(e.scheme, e.theta, 1.0 / 12)), test::moving_wave);
    const double fine =
        transient.error(transient.run(fixed(e.scheme, e.theta, 1.0 / 24)), test::moving_wave);
    EXPECT_TRUE(transient.report.converged) << transient.report.reason;
    EXPECT_LT(fine, 0.05);
    EXPECT_NEAR(std::log2(coarse / fine), e.order, 0.25)
        << (e.scheme == TimeScheme::bdf2 ? "bdf2" : "theta") << " " << e.theta << ": " << coarse
        << ", " << fine;
  }
}

TEST(ImplicitStepper, OrdersOfALinearProblem) {
  expect_orders(test::moving_heat);
}

TEST(ImplicitStepper, OrdersWithANonlinearCapacity) {
  expect_orders(nonlinear_heat);
}

// u' = -u, the same everywhere: what the schemes give by hand, over steps of 0.1 and 0.15.
TEST(ImplicitStepper, SchemesByHand) {
  Transient decay("[weak_form]\ncells.all = \"(dt(u) + u)*test(u)\"\n[initial]\nu = 2\n");
  const auto after = [&](TimeScheme scheme, double theta) {
    const TimeState state =
        decay.run({.scheme = scheme, .theta = theta, .step = 0.15, .stops = {0.1, 0.25}},
                  {.tolerance = 1e-13});
    EXPECT_EQ(state.num_steps, 2);
    EXPECT_EQ(state.time, 0.25);
    for (const double value : state.states[0])
      EXPECT_NEAR(value, state.states[0][0], 1e-11);
    return state.states[0][0];
  };
  EXPECT_NEAR(after(TimeScheme::theta, 1), 2 / 1.1 / 1.15, 1e-11);
  EXPECT_NEAR(after(TimeScheme::theta, 0.5), 2 * 0.95 / 1.05 * 0.925 / 1.075, 1e-11);
  // The parabola through the three states has the slope -u at the last one.
  const double u1 = 2 / 1.1, w = 1.5;
  const double u2 = ((1 + w) * u1 - w * w / (1 + w) * 2) / ((1 + 2 * w) / (1 + w) + 0.15);
  EXPECT_NEAR(after(TimeScheme::bdf2, 0), u2, 1e-11);
}

TEST(ImplicitStepper, StepsMeetTheStopsEvenly) {
  Transient decay("[weak_form]\ncells.all = \"(dt(u) + u)*test(u)\"\n[initial]\nu = 1\n");
  TimeSettings settings{.step = 0.1, .stops = {0.25, 0.5, 1}};
  const TimeState state = decay.run(settings);
  EXPECT_EQ(decay.stops_met, settings.stops);
  EXPECT_EQ(state.num_steps, 3 + 3 + 5);
  EXPECT_EQ(decay.lengths[3], decay.lengths[0]); // the same bits
  EXPECT_DOUBLE_EQ(decay.lengths[0], 0.25 / 3);
  EXPECT_DOUBLE_EQ(decay.lengths[10], 0.1);
}

TEST(ImplicitStepper, PrescribedValuesAreMetAtTheEndOfSteps) {
  Transient transient(test::moving_heat);
  const TimeState state = transient.run(fixed(TimeScheme::theta, 0.5, 0.25));
  const Constraints &c = transient.problem.d.constraints;
  ASSERT_EQ(c.dofs.size(), 16u);
  for (std::size_t i = 0; i < c.dofs.size(); ++i)
    EXPECT_EQ(state.states[0][c.dofs[i]], c.values[i]);
}

TEST(ImplicitStepper, AdaptiveStepsKeepTheTolerance) {
  Transient transient(nonlinear_heat);
  for (const auto &[scheme, theta] :
       {std::pair{TimeScheme::bdf2, 0.0}, {TimeScheme::theta, 0.5}, {TimeScheme::theta, 1.0}}) {
    double before = 1;
    std::int64_t steps = 0;
    for (const double tolerance : {1e-3, 1e-4}) {
      TimeSettings settings = fixed(scheme, theta, 0.05);
      settings.tolerance = tolerance;
      const TimeState state = transient.run(settings);
      ASSERT_TRUE(transient.report.converged) << transient.report.reason;
      const double error = transient.error(state, test::moving_wave);
      // Errors of steps add up, and conduction damps them.
      EXPECT_LT(error, 10 * tolerance * 3);
      EXPECT_LT(error, before);
      EXPECT_GT(state.num_steps, steps);
      before = error;
      steps = state.num_steps;
    }
  }
}

// A source that sets in at once shortens the steps, which are long before and after.
TEST(ImplicitStepper, AdaptiveStepsFollowTheSolution) {
  Transient pulse(
      "[weak_form]\ncells.all = \"(dt(u) + 10*u - 10*exp(-((t - 0.5)/0.05)^2))*test(u)\"\n"
      "[initial]\nu = 1\n");
  TimeSettings settings{.step = 0.01, .tolerance = 1e-3, .stops = {1}};
  const TimeState state = pulse.run(settings);
  ASSERT_TRUE(pulse.report.converged);
  EXPECT_GT(state.num_rejected, 0);
  double time = 0, shortest_late = 1;
  for (const double length : pulse.lengths) {
    time += length;
    if (time > 0.4 && time < 0.6)
      shortest_late = std::min(shortest_late, length);
  }
  EXPECT_LT(shortest_late, 0.5 * *std::max_element(pulse.lengths.begin(), pulse.lengths.end()));
}

TEST(ImplicitStepper, ResumedRunsGiveTheSameBits) {
  Transient transient(nonlinear_heat);
  for (const std::optional<double> tolerance : {std::optional<double>(), std::optional(1e-3)})
    for (const auto &[scheme, theta] :
         {std::pair{TimeScheme::bdf2, 0.0}, {TimeScheme::theta, 0.5}}) {
      TimeSettings settings = fixed(scheme, theta, 0.1);
      settings.tolerance = tolerance;
      const TimeState whole = transient.run(settings);
      const TimeState part = transient.run(settings, {}, nullptr, 5);
      ASSERT_LT(part.time, 1);
      const TimeState rest = transient.run(settings, {}, &part);
      EXPECT_EQ(rest.num_steps, whole.num_steps);
      EXPECT_EQ(rest.states, whole.states);
      EXPECT_EQ(rest.wanted_step, whole.wanted_step);
    }
}

TEST(ImplicitStepper, AFailedStepEndsARunOfFixedSteps) {
  Transient stiff("[weak_form]\ncells.all = \"(dt(u) + 50*u^3)*test(u)\"\n[initial]\nu = 1\n");
  SolverSettings solver;
  solver.newton.max_iterations = 3;
  const TimeState state = stiff.run({.step = 0.5, .stops = {1}}, solver);
  EXPECT_FALSE(stiff.report.converged);
  EXPECT_EQ(state.time, 0);
  EXPECT_EQ(state.states[0], std::vector<double>(state.states[0].size(), 1));
}

TEST(ImplicitStepper, AdaptiveStepsAreHalvedWhereTheirSystemFails) {
  Transient stiff("[weak_form]\ncells.all = \"(dt(u) + 50*u^3)*test(u)\"\n[initial]\nu = 1\n");
  SolverSettings solver;
  solver.newton.max_iterations = 3;
  // The first step is a thousandth of this, and does not converge.
  const TimeState state = stiff.run({.step = 500, .tolerance = 1e-2, .stops = {1}}, solver);
  EXPECT_TRUE(stiff.report.converged) << stiff.report.reason;
  EXPECT_GT(state.num_rejected, 0);
  EXPECT_EQ(state.time, 1);
  EXPECT_NEAR(state.states[0][0], 1 / std::sqrt(101.0), 0.01); // u^-2 grows by 100 t
}

// Where nothing changes the first residual is rounding, which no solver reduces.
TEST(ImplicitStepper, StaysInEquilibrium) {
  Transient rest("[weak_form]\ncells.all = \"(1 + 0.01*u)*dt(u)*test(u) + (1 + "
                 "u^2)*inner(grad(u), grad(test(u)))\"\n[initial]\nu = \"293.15\"\n"
                 "[dirichlet]\nx0 = { u = 293.15 }\n");
  const TimeState state = rest.run({.step = 0.25, .stops = {1}});
  EXPECT_TRUE(rest.report.converged) << rest.report.reason;
  for (const double value : state.states[0])
    EXPECT_NEAR(value, 293.15, 1e-9);
}

// Halved again and again, where each is refused, until the time does not see them.
TEST(ImplicitStepper, AStepBelowTheRoundingOfTheTimeEndsARun) {
  Transient decay("[weak_form]\ncells.all = \"(dt(u) + 5e3*u)*test(u)\"\n[initial]\nu = 1\n");
  const double start = 1e12;
  const TimeState state =
      decay.run({.start = start, .step = 1, .tolerance = 1e-12, .stops = {start + 1}});
  EXPECT_EQ(decay.report.status, SolveStatus::step_lost) << decay.report.reason;
  EXPECT_NE(decay.report.reason.find("rounding of the time"), std::string::npos);
  EXPECT_LT(state.time, start + 1);
}

TEST(StepControl, StepsThatVanish) {
  const TimeSettings by_cfl{.cfl = 1, .stops = {0.5, 1}};
  EXPECT_EQ(vanishing_step(by_cfl, {1e-3, 1e-3}), "");
  EXPECT_NE(vanishing_step(by_cfl, {1e-14, 1e-14}), "");
  EXPECT_NE(vanishing_step(by_cfl, {1e-16, 0.25}), "");
  EXPECT_EQ(vanishing_step(by_cfl, {1e-16, 0.5}), ""); // what is left to a stop
  const TimeSettings adaptive{.tolerance = 1e-3, .stops = {1}};
  EXPECT_EQ(vanishing_step(adaptive, {1e-14, 1e-14}), "");
  EXPECT_NE(vanishing_step(adaptive, {1e-17, 1e-17}), "");
}

} // namespace
} // namespace weft
