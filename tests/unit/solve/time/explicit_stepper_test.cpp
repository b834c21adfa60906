#include "solve/time/explicit_stepper.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/error.h"
#include "support/host_rates.h"

namespace weft {
namespace {

using test::HostRates;
using Values = HostRates::Values;

// Runs to the end, or to a step that fails, whose report it returns.
SolveReport run_to_end(Stepper &stepper) {
  SolveReport report;
  while (!stepper.finished()) {
    report = stepper.step();
    if (!report.converged)
      break;
  }
  return report;
}

TimeSettings steps_of(TimeScheme scheme, double step, double end = 1) {
  return {.scheme = scheme, .step = step, .stops = {end}};
}

double error_at_end(HostRates &op, TimeScheme scheme, double step, const Values &first,
                    const Values &exact) {
  ExplicitStepper stepper(op, steps_of(scheme, step), {0});
  stepper.start(first);
  EXPECT_TRUE(run_to_end(stepper).converged);
  const Values last = stepper.solution();
  double largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i)
    largest = std::max(largest, std::abs(last[i] - exact[i]));
  return largest;
}

struct SchemeOrder {
  TimeScheme scheme;
  double order;
};
const SchemeOrder scheme_orders[] = {
    {TimeScheme::lsrk4, 4}, {TimeScheme::rk4, 4}, {TimeScheme::ssprk3, 3}, {TimeScheme::euler, 1}};

TEST(ExplicitStepper, OrdersOfALinearEquation) {
  HostRates op(2, [](double, const Values &q) { return Values{-2 * q[0], 0.7 * q[1]}; });
  for (const auto &[scheme, order] : scheme_orders) {
    const Values exact = {std::exp(-2.0), 3 * std::exp(0.7)};
    const double coarse = error_at_end(op, scheme, 0.1, {1, 3}, exact);
    const double fine = error_at_end(op, scheme, 0.05, {1, 3}, exact);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.2) << static_cast<int>(scheme);
  }
}

// q' = q^2 cos(t): q = 1 / (2 - sin(t)).
TEST(ExplicitStepper, OrdersOfANonlinearEquationThatDependsOnTime) {
  HostRates op(1, [](double t, const Values &q) { return Values{q[0] * q[0] * std::cos(t)}; });
  for (const auto &[scheme, order] : scheme_orders) {
    const Values exact = {1 / (2 - std::sin(1.0))};
    const double coarse = error_at_end(op, scheme, 1.0 / 8, {0.5}, exact);
    const double fine = error_at_end(op, scheme, 1.0 / 16, {0.5}, exact);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.3) << static_cast<int>(scheme);
  }
}

// One step of the classical scheme by hand for q' = t + q, h = 1: k = 0+1, 1/2+3/2, 1/2+2, 1+7/2.
TEST(ExplicitStepper, ClassicalSchemeByHand) {
  HostRates op(1, [](double t, const Values &q) { return Values{t + q[0]}; });
  ExplicitStepper stepper(op, steps_of(TimeScheme::rk4, 1), {0});
  stepper.start({1});
  EXPECT_EQ(stepper.step().iterations, 4);
  EXPECT_NEAR(stepper.solution()[0], 1 + (1 + 2 * 2 + 2 * 2.5 + 4.5) / 6, 1e-14);
}

// Upwind differences of q_t + q_x = 0 on a ring.
HostRates upwind_ring(int cells) {
  HostRates op(cells, [cells](double, const Values &q) {
    Values rate(cells);
    for (int i = 0; i < cells; ++i)
      rate[i] = (q[(i + cells - 1) % cells] - q[i]) * cells;
    return rate;
  });
  op.unit = [cells](double, const Values &) { return 1.0 / cells; };
  return op;
}

double total_variation(const Values &q) {
  double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i)
    sum += std::abs(q[i] - q[(i + 1) % q.size()]);
  return sum;
}

Values box_profile(int cells) {
  Values q(cells, 0.0);
  for (int i = cells / 4; i < cells / 2; ++i)
    q[i] = 1;
  return q;
}

// Forward Euler keeps the total variation up to CFL number 1, and so must the scheme.
TEST(ExplicitStepper, StrongStability) {
  HostRates op = upwind_ring(40);
  ExplicitStepper stepper(op, {.scheme = TimeScheme::ssprk3, .cfl = 1, .stops = {1}}, {0});
  stepper.start(box_profile(40));
  double before = 2;
  while (!stepper.finished()) {
    ASSERT_TRUE(stepper.step().converged);
    const double now = total_variation(stepper.solution());
    EXPECT_LE(now, before * (1 + 1e-14));
    before = now;
  }
  EXPECT_EQ(stepper.state().num_steps, 40);
}

// Nothing said of steps: nine tenths of what is stable. Of the ring's eigenvalues, -(1 - e^iy) n,
// the one at -2 n is the last inside of the stable part of ssprk3.
TEST(ExplicitStepper, StepsFollowStability) {
  HostRates op = upwind_ring(40);
  ExplicitStepper stepper(op, {.scheme = TimeScheme::ssprk3, .stops = {1}}, {0});
  stepper.start(box_profile(40));
  EXPECT_EQ(stepper.remark(), "");
  EXPECT_NEAR(stepper.state().stable_cfl, 0.9 * 2.5127 / 2, 0.03);
  ASSERT_TRUE(run_to_end(stepper).converged);
  EXPECT_LT(total_variation(stepper.solution()), 3);
}

// A reaction on the third of the unknowns that the unit step does not know: -500.
TEST(ExplicitStepper, StableStepsSeeSources) {
  HostRates op(3, [](double, const Values &q) { return Values{-q[0], -q[1], -500 * q[2]}; });
  op.unit = [](double, const Values &) { return 1.0; };
  ExplicitStepper stepper(op, {.scheme = TimeScheme::rk4, .stops = {1}}, {0, 2});
  stepper.start({1, 2, 1e-3});
  EXPECT_NEAR(stepper.state().stable_cfl, 0.9 * 2.7853 / 500, 1e-4);
  ASSERT_TRUE(run_to_end(stepper).converged);
  EXPECT_NEAR(stepper.solution()[0], std::exp(-1.), 1e-8);
}

// The rate becomes five times as stiff on the way, at a unit step that hardly changes.
TEST(ExplicitStepper, StableStepsAreFoundAnew) {
  HostRates op(2, [](double t, const Values &q) {
    return Values{-q[0], (t < 5 ? -100 : -500) * (q[1] - q[0])};
  });
  op.unit = [](double t, const Values &) { return 1 - 1e-6 * t; };
  ExplicitStepper stepper(op, {.scheme = TimeScheme::rk4, .stops = {4, 20}}, {0});
  stepper.start({1, 1});
  EXPECT_NEAR(stepper.state().stable_cfl, 0.9 * 2.7853 / 100, 1e-3);
  while (!stepper.finished())
    ASSERT_TRUE(stepper.step().converged);
  EXPECT_NEAR(stepper.state().stable_cfl, 0.9 * 2.7853 / 500, 1e-3);
}

TEST(ExplicitStepper, LimitedStatesGetShorterSteps) {
  HostRates op = upwind_ring(40);
  op.limiter = [](double, const Values &q) { return q; };
  ExplicitStepper stepper(op, {.scheme = TimeScheme::ssprk3, .stops = {1}}, {0});
  stepper.start(box_profile(40));
  EXPECT_EQ(stepper.state().stable_cfl, 0.5);
}

TEST(ExplicitStepper, WavesWithoutDecayHaveNoStableStepOfEuler) {
  HostRates op(2, [](double, const Values &q) { return Values{q[1], -q[0]}; });
  op.unit = [](double, const Values &) { return 1.0; };
  ExplicitStepper stepper(op, {.scheme = TimeScheme::euler, .stops = {1}}, {0});
  EXPECT_THROW(stepper.start({1, 0}), Error);
}

TEST(ExplicitStepper, StepsAboveStabilityAreTold) {
  HostRates op = upwind_ring(40);
  ExplicitStepper by_cfl(op, {.scheme = TimeScheme::ssprk3, .cfl = 1.5, .stops = {1}}, {0});
  by_cfl.start(box_profile(40));
  EXPECT_NE(by_cfl.remark().find("cfl = 1.5 is more than"), std::string::npos) << by_cfl.remark();
  ExplicitStepper by_step(op, {.scheme = TimeScheme::ssprk3, .step = 0.033, .stops = {1}}, {0});
  by_step.start(box_profile(40));
  EXPECT_NE(by_step.remark().find("step = 0.033"), std::string::npos) << by_step.remark();
  ExplicitStepper well(op, {.scheme = TimeScheme::ssprk3, .cfl = 1.2, .stops = {1}}, {0});
  well.start(box_profile(40));
  EXPECT_EQ(well.remark(), "");
}

TEST(ExplicitStepper, StepsByCflMeetTheStops) {
  HostRates op = upwind_ring(10);
  op.unit = [](double t, const Values &) { return t < 0.5 ? 0.1 : 0.04; };
  ExplicitStepper stepper(op, {.scheme = TimeScheme::lsrk4, .cfl = 0.5, .stops = {0.33, 2}}, {0});
  stepper.start(Values(10, 1.0));
  std::vector<double> met;
  while (!stepper.finished()) {
    ASSERT_TRUE(stepper.step().converged);
    EXPECT_LE(stepper.state().steps[0], 0.05 * (1 + 1e-9));
    if (stepper.at_stop())
      met.push_back(stepper.time());
  }
  EXPECT_EQ(met, (std::vector<double>{0.33, 2}));
  EXPECT_LE(stepper.state().steps[0], 0.02 * (1 + 1e-9));
  // In each of the first ten steps, in each tenth and at the two stops.
  EXPECT_EQ(op.num_unit_steps, 1 + 10 + stepper.state().num_steps / 10 + 2);
}

TEST(ExplicitStepper, AdaptiveStepsKeepTheTolerance) {
  // Slow, then a fast change around t = 5.
  const auto exact = [](double t) { return std::atan(20 * (t - 5)); };
  HostRates op(2, [](double t, const Values &) {
    const double s = 20 * (t - 5);
    return Values{20 / (1 + s * s), 1};
  });
  double before = 1;
  for (const double tolerance : {1e-3, 1e-5}) {
    TimeSettings settings{.scheme = TimeScheme::ssprk3, .step = 1, .tolerance = tolerance};
    settings.stops = {10};
    ExplicitStepper stepper(op, settings, {0, 1});
    stepper.start({exact(0), 0});
    double shortest = 1, longest = 0;
    while (!stepper.finished()) {
      ASSERT_TRUE(stepper.step().converged);
      shortest = std::min(shortest, stepper.state().steps[0]);
      longest = std::max(longest, stepper.state().steps[0]);
    }
    EXPECT_GT(longest, 10 * shortest);
    EXPECT_GT(stepper.state().num_rejected, 0);
    const double error = std::abs(stepper.solution()[0] - exact(10));
    EXPECT_LT(error, 30 * tolerance);
    EXPECT_LT(error, before);
    before = error;
    EXPECT_NEAR(stepper.solution()[1], 10, 1e-12);
  }
}

TEST(ExplicitStepper, ARestartGivesTheSameBits) {
  HostRates op = upwind_ring(12);
  op.unit = [](double t, const Values &q) { return (1 + 0.3 * q[0] + 0.1 * t) / 12; };
  for (const TimeScheme scheme : {TimeScheme::lsrk4, TimeScheme::ssprk3}) {
    TimeSettings settings{.scheme = scheme, .cfl = 0.4, .stops = {0.31, 1.5}};
    if (scheme == TimeScheme::ssprk3)
      settings.tolerance = 1e-3;
    ExplicitStepper through(op, settings, {0});
    through.start(box_profile(12));
    TimeState middle;
    while (!through.finished()) {
      ASSERT_TRUE(through.step().converged);
      if (through.state().num_steps == 13)
        middle = through.state();
    }
    ExplicitStepper again(op, settings, {0});
    again.resume(middle);
    ASSERT_TRUE(run_to_end(again).converged);
    EXPECT_EQ(again.solution(), through.solution());
    EXPECT_EQ(again.state().num_steps, through.state().num_steps);
    EXPECT_EQ(again.state().num_iterations, through.state().num_iterations);
  }
}

TEST(ExplicitStepper, LimitsEveryStage) {
  HostRates op(1, [](double, const Values &) { return Values{1}; });
  std::vector<double> times;
  op.limiter = [&](double t, const Values &q) {
    times.push_back(t);
    return Values{std::min(q[0], 1.4)};
  };
  ExplicitStepper stepper(op, steps_of(TimeScheme::ssprk3, 1), {0});
  stepper.start({1});
  ASSERT_TRUE(stepper.step().converged);
  EXPECT_EQ(times, (std::vector<double>{0, 1, 0.5, 1}));
  EXPECT_EQ(stepper.solution()[0], 1.4);
}

// A circle whose two directions are split, the second integrated exactly: q_1' = -2 t q_0.
TEST(ExplicitStepper, SplitReactionsAreOfOrderTwo) {
  HostRates op(2, [](double, const Values &q) { return Values{q[1], 0}; });
  op.reaction = [](double t, double h, const Values &q) {
    return Values{q[0], q[1] - ((t + h) * (t + h) - t * t) * q[0]};
  };
  const auto at_end = [&](TimeScheme scheme, double step) {
    ExplicitStepper stepper(op, steps_of(scheme, step), {0});
    stepper.start({1, 0});
    EXPECT_TRUE(run_to_end(stepper).converged);
    return stepper.solution()[0];
  };
  for (const TimeScheme scheme : {TimeScheme::lsrk4, TimeScheme::ssprk3}) {
    const double a = at_end(scheme, 0.1), b = at_end(scheme, 0.05), c = at_end(scheme, 0.025);
    EXPECT_NEAR(std::log2((a - b) / (b - c)), 2, 0.1);
  }
}

// The last good state comes back, with its time.
TEST(ExplicitStepper, NanIsCaught) {
  HostRates op(2, [](double t, const Values &q) {
    return Values{t > 0.35 ? std::sqrt(-q[0]) : 1.0, 1.0};
  });
  ExplicitStepper stepper(op, steps_of(TimeScheme::lsrk4, 0.01), {0});
  stepper.start({1, 0});
  const SolveReport report = run_to_end(stepper);
  EXPECT_EQ(report.status, SolveStatus::not_finite);
  EXPECT_GT(stepper.time(), 0.24);
  EXPECT_LT(stepper.time(), 0.36);
  EXPECT_NEAR(stepper.solution()[0], 1 + stepper.time(), 1e-12);
  EXPECT_NEAR(stepper.failed_time(), 0.36, 1e-12); // the first step whose stages see t > 0.35
  ASSERT_EQ(stepper.failed_state().size(), 2u);
  EXPECT_TRUE(std::isnan(stepper.failed_state()[0]));
  EXPECT_NEAR(stepper.failed_state()[1], stepper.failed_time(), 1e-12);
  EXPECT_NE(report.reason.find("between time"), std::string::npos) << report.reason;
}

TEST(ExplicitStepper, AStateWithoutWaveSpeedStops) {
  HostRates op(1, [](double, const Values &) { return Values{-1}; });
  op.unit = [](double, const Values &q) { return 0.1 * std::sqrt(q[0]); };
  ExplicitStepper stepper(op, {.scheme = TimeScheme::rk4, .cfl = 0.5, .stops = {2}}, {0});
  stepper.start({1});
  EXPECT_EQ(run_to_end(stepper).status, SolveStatus::no_wave_speed);
  EXPECT_LT(stepper.failed_state()[0], 0);
  EXPECT_GE(stepper.solution()[0], 0);
}

// Long before numbers overflow.
TEST(ExplicitStepper, StepsTooLongAreSeenAsSuch) {
  HostRates op = upwind_ring(50);
  for (const double cfl : {1.6, 2.0, 5.0}) {
    ExplicitStepper stepper(op, {.scheme = TimeScheme::rk4, .cfl = cfl, .stops = {20}}, {0});
    stepper.start(box_profile(50));
    EXPECT_EQ(run_to_end(stepper).status, SolveStatus::unstable) << cfl;
    EXPECT_LT(total_variation(stepper.solution()), 1e3);
  }
  ExplicitStepper stable(op, {.scheme = TimeScheme::rk4, .cfl = 1.2, .stops = {20}}, {0});
  stable.start(box_profile(50));
  EXPECT_TRUE(run_to_end(stable).converged);
}

// Growth of any size is no reason to stop where the steps resolve it: from nothing, by a pulse that
// comes in, or exponential.
TEST(ExplicitStepper, GrowthThatIsResolvedGoesOn) {
  HostRates pulse(
      1, [](double t, const Values &) { return Values{std::exp(-(t - 5) * (t - 5) / 0.08)}; });
  HostRates switched(1, [](double t, const Values &) { return Values{t < 5.03 ? 0.0 : 1.0}; });
  HostRates grows(1, [](double, const Values &q) { return Values{4 * q[0]}; });
  for (auto *op : {&pulse, &switched, &grows}) {
    ExplicitStepper stepper(*op, steps_of(TimeScheme::lsrk4, 0.05, 10), {0});
    stepper.start({op == &grows ? 1e-10 : 0});
    const SolveReport report = run_to_end(stepper);
    EXPECT_TRUE(report.converged) << report.reason;
    EXPECT_GT(stepper.solution()[0], 0.4);
  }
}

// Downwind differences of q_t + q_x = 0 on a ring: what differs from cell to cell grows by e^2
// while a wave crosses a cell, which short steps resolve.
HostRates downwind_ring(int n) {
  HostRates op(n, [n](double, const Values &q) {
    Values rate(n);
    for (int i = 0; i < n; ++i)
      rate[i] = n * (q[i] - q[(i + 1) % n]);
    return rate;
  });
  op.unit = [n](double, const Values &) { return 1.0 / n; };
  return op;
}

SolveStatus status_at_end(HostRates &op, double step, double end, const Values &first) {
  ExplicitStepper stepper(op, steps_of(TimeScheme::lsrk4, step, end), {0});
  stepper.start(first);
  return run_to_end(stepper).status;
}

TEST(ExplicitStepper, GrowthWithoutBoundIsSeenAsSuch) {
  HostRates op = downwind_ring(50);
  const Values first = box_profile(50);
  ExplicitStepper stepper(op, steps_of(TimeScheme::lsrk4, 0.002, 1), {0});
  stepper.start(first);
  EXPECT_EQ(run_to_end(stepper).status, SolveStatus::unbounded);
  EXPECT_LT(total_variation(stepper.solution()), 1e9);
  EXPECT_GT(total_variation(stepper.failed_state()), 1e6);
  // What sources of the state do is theirs.
  op.own_sources = true;
  EXPECT_EQ(status_at_end(op, 0.002, 0.4, first), SolveStatus::converged); // by e^40
}

// Nor is growth that is slow against waves, or that what comes in drives, however fast.
TEST(ExplicitStepper, GrowthThatIsGivenGoesOn) {
  HostRates slow(1, [](double, const Values &q) { return Values{4 * q[0]}; });
  slow.unit = [](double, const Values &) { return 1e-2; };
  EXPECT_EQ(status_at_end(slow, 0.05, 10, {1e-10}), SolveStatus::converged);
  slow.unit = [](double, const Values &) { return 1.0; };
  EXPECT_EQ(status_at_end(slow, 0.05, 10, {1e-10}), SolveStatus::unbounded);
  HostRates pulse(
      1, [](double t, const Values &) { return Values{std::exp(-(t - 5) * (t - 5) / 0.08)}; });
  pulse.unit = [](double, const Values &) { return 1.0; };
  for (const double first : {0.0, 1e-30})
    EXPECT_EQ(status_at_end(pulse, 0.05, 10, {first}), SolveStatus::converged);
}

TEST(ExplicitStepper, StepsThatAreTooShortEndARun) {
  HostRates op(1, [](double, const Values &) { return Values{1}; });
  const auto reason = [&](double unit, double start) {
    op.unit = [unit](double, const Values &) { return unit; };
    ExplicitStepper stepper(
        op, {.scheme = TimeScheme::rk4, .start = start, .cfl = 1, .stops = {start + 1}}, {0});
    stepper.start({1});
    const SolveReport report = run_to_end(stepper);
    EXPECT_EQ(report.status, SolveStatus::step_lost);
    EXPECT_EQ(stepper.time(), start);
    return report.reason;
  };
  EXPECT_NE(reason(1e-30, 0).find("1.0e+30 steps of 1e-30"), std::string::npos);
  EXPECT_NE(reason(1e-6, 1e10).find("rounding of the time"), std::string::npos);
}

} // namespace
} // namespace weft
