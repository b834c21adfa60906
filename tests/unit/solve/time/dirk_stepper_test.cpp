#include "solve/time/dirk_stepper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <tuple>

#include "op/weak_form/form_operator.h"
#include "support/moving_heat.h"
#include "support/stepped_problem.h"

namespace weft {
namespace {

constexpr TimeScheme schemes[] = {TimeScheme::dirk2, TimeScheme::dirk3, TimeScheme::dirk4};

double order_of(TimeScheme scheme) {
  return scheme == TimeScheme::dirk2 ? 2 : scheme == TimeScheme::dirk3 ? 3 : 4;
}

// Order conditions (Hairer, Norsett and Wanner 1993, Solving Ordinary Differential Equations I,
// table II.2.1): sums of weights times products of c and of A c.
double condition(const DirkTableau &t, const std::vector<double> &weights,
                 const std::function<double(const std::vector<double> &, std::size_t)> &value) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    sum += weights[i] * value(t.c, i);
  return sum;
}

void expect_order(const DirkTableau &t, const std::vector<double> &weights, int order) {
  const auto a_times = [&](const std::vector<double> &x, std::size_t i) {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j)
      sum += t.a[i][j] * x[j];
    return sum;
  };
  std::vector<double> squares, ac;
  for (std::size_t i = 0; i < t.c.size(); ++i) {
    squares.push_back(t.c[i] * t.c[i]);
    ac.push_back(a_times(t.c, i));
  }
  using Values = const std::vector<double> &;
  const std::vector<std::tuple<int, std::function<double(Values, std::size_t)>, double>> all = {
      {1, [](Values, std::size_t) { return 1; }, 1},
      {2, [](Values c, std::size_t i) { return c[i]; }, 1. / 2},
      {3, [](Values c, std::size_t i) { return c[i] * c[i]; }, 1. / 3},
      {3, [&](Values, std::size_t i) { return ac[i]; }, 1. / 6},
      {4, [](Values c, std::size_t i) { return c[i] * c[i] * c[i]; }, 1. / 4},
      {4, [&](Values c, std::size_t i) { return c[i] * ac[i]; }, 1. / 8},
      {4, [&](Values, std::size_t i) { return a_times(squares, i); }, 1. / 12},
      {4, [&](Values, std::size_t i) { return a_times(ac, i); }, 1. / 24}};
  for (const auto &[of, value, expected] : all)
    if (of <= order) {
      EXPECT_NEAR(condition(t, weights, value), expected, 1e-12) << "order " << of;
    }
}

TEST(DirkTableau, OrderConditions) {
  for (const TimeScheme scheme : schemes) {
    const DirkTableau usual = make_dirk(scheme), starting = make_starting_dirk(scheme);
    EXPECT_EQ(usual.order, order_of(scheme));
    EXPECT_EQ(starting.order, order_of(scheme));
    expect_order(usual, usual.a.back(), usual.order);
    expect_order(starting, starting.a.back(), starting.order);
    expect_order(usual, usual.embedded, scheme == TimeScheme::dirk2 ? 3 : usual.order - 1);
    for (std::size_t i = 1; i < usual.c.size(); ++i) {
      EXPECT_EQ(usual.a[i][i], starting.a[0][0]);
      double sum = 0; // stages are of order 2
      for (std::size_t j = 0; j <= i; ++j)
        sum += usual.a[i][j] * usual.c[j];
      EXPECT_NEAR(sum, usual.c[i] * usual.c[i] / 2, 1e-12);
    }
  }
}

// R(z) = 1 + z b (I - z A)^-1 e is 0 at infinity, and at most 1 on the imaginary axis.
TEST(DirkTableau, IsLStable) {
  const auto growth = [](const DirkTableau &t, std::complex<double> z) {
    std::vector<std::complex<double>> u; // of stages; the last is the state
    for (std::size_t i = 0; i < t.a.size(); ++i) {
      std::complex<double> sum = 1;
      for (std::size_t j = 0; j < i; ++j)
        sum += z * t.a[i][j] * u[j];
      u.push_back(sum / (1.0 - z * t.a[i][i]));
    }
    return std::abs(u.back());
  };
  for (const TimeScheme scheme : schemes)
    for (const DirkTableau &t : {make_dirk(scheme), make_starting_dirk(scheme)}) {
      EXPECT_LT(growth(t, -1e8), 1e-6);
      for (double y = 0.01; y < 1e4; y *= 1.1)
        EXPECT_LE(growth(t, {0, y}), 1 + 1e-12) << y;
    }
}

struct DirkProblem : test::SteppedProblem {
  FormOperator op;

  explicit DirkProblem(const std::string &text)
      : SteppedProblem("[mesh]\nbox = { cells = [1, 1], cell = \"triangle\" }\n"
                       "[time]\nend = 1\nstep = 1\n[fields]\nu = { element = \"P2\" }\n" +
                       text),
        op(test::device(), problem.d, {}) {}

private:
  NonlinearOperator &system() override { return op; }
};

// The same solution with a capacity and a conductivity that depend on it.
const std::string nonlinear_capacity = R"TOML(
[parameters]
w = "1 + x + y^2"
s = "w*sin(3*t)"
[weak_form]
cells.all = "dt(2*u + u^3/3)*test(u) + (1 + u)*inner(grad(u), grad(test(u))) - ((2 + s^2)*3*w*cos(3*t) - (1 + s)*2*sin(3*t) - sin(3*t)^2*(1 + 4*y^2))*test(u)"
[dirichlet]
x0 = { u = "s" }
x1 = { u = "s" }
y0 = { u = "s" }
y1 = { u = "s" }
)TOML";

TEST(DirkStepper, OrdersWithPrescribedValuesThatMove) {
  SolverSettings solver{.tolerance = 1e-13};
  solver.newton.tolerance = 1e-13;
  for (const std::string &text : {test::moving_heat, nonlinear_capacity}) {
    DirkProblem problem(text);
    for (const TimeScheme scheme : schemes) {
      const auto error = [&](double step) {
        return problem.error(problem.run({.scheme = scheme, .step = step, .stops = {1}}, solver),
                             test::moving_wave);
      };
      // Stiff modes let the order come late.
      const double step = scheme == TimeScheme::dirk4 ? 1.0 / 32 : 1.0 / 64;
      const double coarse = error(step), fine = error(step / 2);
      EXPECT_TRUE(problem.report.converged) << problem.report.reason;
      EXPECT_GT(std::log2(coarse / fine), order_of(scheme) - 0.3)
          << order_of(scheme) << ": " << coarse << ", " << fine;
    }
  }
}

TEST(DirkStepper, AdaptiveStepsKeepTheTolerance) {
  DirkProblem problem(test::moving_heat);
  for (const TimeScheme scheme : schemes) {
    std::int64_t before = 0;
    for (const double tolerance : {1e-4, 1e-6}) {
      const TimeState state =
          problem.run({.scheme = scheme, .step = 0.1, .tolerance = tolerance, .stops = {1}});
      EXPECT_TRUE(problem.report.converged) << problem.report.reason;
      EXPECT_LT(problem.error(state, test::moving_wave), 30 * tolerance) << order_of(scheme);
      EXPECT_GT(state.num_steps, before);
      before = state.num_steps;
    }
  }
}

TEST(DirkStepper, ResumedRunsGiveTheSameBits) {
  DirkProblem problem(test::moving_heat);
  for (const bool adaptive : {false, true}) {
    TimeSettings settings{.scheme = TimeScheme::dirk3, .step = 0.1, .stops = {1}};
    if (adaptive)
      settings.tolerance = 1e-4;
    const TimeState whole = problem.run(settings);
    const TimeState half = problem.run(settings, {}, nullptr, 4);
    ASSERT_EQ(half.rates.size(), 1u);
    EXPECT_EQ(problem.run(settings, {}, &half).states, whole.states);
  }
}

// A field that has no time derivative: q = u^2 where dt(u) = -u.
TEST(DirkStepper, AlgebraicFieldsFollow) {
  DirkProblem problem("q = { element = \"P2\" }\n[weak_form]\n"
                      "cells.all = \"(dt(u) + u)*test(u) + (q - u^2)*test(q)\"\n"
                      "[initial]\nu = 2\n");
  const TimeState state = problem.run({.scheme = TimeScheme::dirk4, .step = 0.1, .stops = {1}});
  EXPECT_TRUE(problem.report.converged) << problem.report.reason;
  EXPECT_NEAR(state.states[0].front(), 2 * std::exp(-1), 1e-6);
  EXPECT_NEAR(state.states[0].back(), 4 * std::exp(-2), 3e-6);
}

} // namespace
} // namespace weft
