// Implicit steps of conservation laws.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "op/evaluate/field_values.h"
#include "op/law/law_residual.h"
#include "op/set_up/make_discretisation.h"
#include "op/weak_form/form_operator.h"
#include "support/stepped_problem.h"

namespace weft {
namespace {

std::string law_text(const std::string &element, const std::string &law,
                     const std::string &cells = "[3, 3], cell = \"triangle\"") {
  return "[mesh]\nbox = { cells = " + cells + " }\n[fields]\nu = { element = \"" + element +
         "\" }\n[time]\nend = 1\nstep = 1\n[conservation_law]\n" + law;
}

// A law in implicit steps.
struct Implicit : test::SteppedProblem {
  LawRates rate;
  LawResidual op;

  explicit Implicit(const std::string &text, Precision precision = Precision::f64,
                    bool matrix = false)
      : SteppedProblem(text), rate(test::device(), problem.d, {.precision = precision}),
        op(rate, problem.d) {
    if (matrix)
      op.keep_matrix();
  }

  double integral(const std::vector<double> &state) const {
    return functionals(problem.c, problem.d, state).front().values[0];
  }

private:
  NonlinearOperator &system() override { return op; }
};

double linear_wave(double x, double y, double t) {
  return (1 + x + y) * std::sin(3 * t);
}

TimeSettings steps(TimeScheme scheme, double theta, double step, double end = 1) {
  return {.scheme = scheme, .theta = theta, .step = step, .stops = {end}};
}

// Linear in x, so that all error is that of time; boundary values and sources vary with it.
std::string moving(const std::string &source, const std::string &more) {
  return law_text("DG1", "flux.u = \"[u, 0.5*u] - 0.3*grad(u)\"\nsource.u = \"3*w*cos(3*t) + "
                         "1.5*sin(3*t)" +
                             source + more +
                             "\"\n"
                             "numerical_flux = \"upwind\"\n[parameters]\nw = \"1 + x + y\"\n"
                             "[boundary]\nall = { outer = { u = \"w*sin(3*t)\" } }\n");
}
const std::string linear_law = moving("", "");
const std::string nonlinear_law = moving(" + (w*sin(3*t))^3", " - u^3");

void expect_orders(const std::string &text, bool linear) {
  Implicit law(text);
  EXPECT_EQ(law.op.linear(), linear);
  for (const auto &[scheme, theta, order] : {std::tuple{TimeScheme::theta, 1.0, 1.0},
                                             {TimeScheme::theta, 0.5, 2.0},
                                             {TimeScheme::bdf2, 0.0, 2.0}}) {
    const double coarse = law.error(law.run(steps(scheme, theta, 1.0 / 16)), linear_wave);
    const double fine = law.error(law.run(steps(scheme, theta, 1.0 / 32)), linear_wave);
    EXPECT_TRUE(law.report.converged) << law.report.reason;
    EXPECT_LT(fine, 0.05);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.25) << coarse << ", " << fine;
  }
}

TEST(LawStepper, OrdersOfALinearLaw) {
  expect_orders(linear_law, true);
}

TEST(LawStepper, OrdersOfANonlinearLaw) {
  expect_orders(nonlinear_law, false);
}

TEST(LawStepper, ResumedRunsGiveTheSameBits) {
  for (const std::string &text : {linear_law, nonlinear_law})
    for (const TimeScheme scheme : {TimeScheme::bdf2, TimeScheme::theta}) {
      const TimeSettings settings = steps(scheme, 0.5, 0.125);
      Implicit law(text), again(text);
      const TimeState whole = law.run(settings);
      const TimeState part = law.run(settings, {}, nullptr, 5);
      ASSERT_LT(part.time, 1);
      const TimeState rest = again.run(settings, {}, &part);
      EXPECT_EQ(rest.num_steps, whole.num_steps);
      EXPECT_EQ(rest.states, whole.states);
    }
}

TEST(LawStepper, AdaptiveStepsKeepTheTolerance) {
  Implicit law(nonlinear_law);
  for (const TimeScheme scheme : {TimeScheme::bdf2, TimeScheme::theta}) {
    TimeSettings settings = steps(scheme, 0.5, 0.05);
    settings.tolerance = 1e-3;
    const TimeState state = law.run(settings);
    ASSERT_TRUE(law.report.converged) << law.report.reason;
    EXPECT_LT(law.error(state, linear_wave), 10 * 3 * 1e-3);
  }
}

TEST(LawStepper, StepsInF32AreThoseInF64) {
  SolverSettings solver;
  solver.tolerance = solver.newton.tolerance = 1e-5;
  Implicit exact(linear_law), rounded(linear_law, Precision::f32);
  const TimeSettings settings = steps(TimeScheme::bdf2, 0, 0.125);
  const std::vector<double> a = exact.run(settings).states[0];
  const std::vector<double> b = rounded.run(settings, solver).states[0];
  EXPECT_TRUE(rounded.report.converged) << rounded.report.reason;
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], 1e-4);
}

// Steps far past what explicit schemes can take, against the same problem as a weak form.
TEST(LawStepper, LongStepsOfHeatAgreeWithTheWeakForm) {
  const std::string cells = "[mesh]\nbox = { cells = [16, 16], cell = \"quadrilateral\" }\n"
                            "[time]\nend = 1\nstep = 1\n"
                            "[functionals]\nmean = { average = \"u\" }\n";
  Implicit law(cells + "[fields]\nu = { element = \"FV\" }\n[conservation_law]\n"
                       "flux.u = \"-grad(u)\"\nsource.u = \"1\"\ndiffusion = \"two_point\"\n"
                       "[boundary]\nall = { outer = { u = \"0.5\" } }\n");
  EXPECT_TRUE(law.op.symmetric());
  Vector q = make_vector(test::device(), law.rate.size(), Precision::f64, "state");
  law.rate.set_state(initial_state(law.problem.c, law.problem.d), q);
  const double limit = law.rate.unit_step(0, q);
  const TimeSettings settings = steps(TimeScheme::bdf2, 0, 100 * limit, 500 * limit);
  const TimeState state = law.run(settings);
  ASSERT_TRUE(law.report.converged) << law.report.reason;
  EXPECT_EQ(state.num_steps, 5);

  DiscreteProblem weak(cells +
                       "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                       "cells.all = \"(dt(u) - 1)*test(u) + inner(grad(u), grad(test(u)))\"\n"
                       "[dirichlet]\nboundary = { u = 0.5 }\n");
  FormOperator op(test::device(), weak.d, {});
  const auto move_to = [&](double time) {
    set_time(weak.c, weak.d, time);
    op.set_time(time);
  };
  const std::unique_ptr<ImplicitStepper> made = make_implicit_stepper(
      {.op = op, .move_to = move_to, .field_offset = weak.d.field_offset, .time_orders = {1}}, {},
      settings);
  ImplicitStepper &stepper = *made;
  stepper.start(initial_state(weak.c, weak.d));
  while (!stepper.finished())
    ASSERT_TRUE(stepper.step().converged);
  const double mean = functionals(weak.c, weak.d, stepper.solution()).front().values[0];
  EXPECT_GT(mean, 0.52); // 0 at first, 0.535 in the end
  // Both have errors of h^2, with opposite signs, of the 0.035 that the source adds.
  EXPECT_NEAR(law.integral(state.states[0]), mean, 0.03 * (mean - 0.5));
}

// What flows out of one cell flows into the next, to the tolerance of the solver; multigrid on the
// matrix of order 0 gives the state that Jacobi gives.
TEST(LawStepper, OrderZeroIsConservedWhateverThePreconditioner) {
  const std::string text =
      law_text("DG0",
               "flux.u = \"[u^2/2, u]\"\nnumerical_flux = \"lax_friedrichs\"\n"
               "[initial]\nu = \"1.5 + sin(2*pi*x)*cos(2*pi*y)\"\n"
               "[functionals]\ntotal = { integral = \"u\" }\n",
               "[12, 12], cell = \"quadrilateral\", periodic = [\"x\", \"y\"]");
  std::vector<std::vector<double>> ends;
  for (const PrecondKind kind : {PrecondKind::jacobi, PrecondKind::multigrid}) {
    Implicit law(text, Precision::f64, kind == PrecondKind::multigrid);
    SolverSettings solver;
    solver.preconditioner = kind;
    solver.multigrid.coarsest_size = 20;
    const TimeState state = law.run(steps(TimeScheme::theta, 1, 0.1, 0.5), solver);
    ASSERT_TRUE(law.report.converged) << law.report.reason;
    EXPECT_NEAR(law.integral(state.states[0]), 1.5, 1e-9);
    ends.push_back(state.states[0]);
    const auto [least, most] = std::minmax_element(ends.back().begin(), ends.back().end());
    EXPECT_GE(*least, 0.5); // implicit upwind steps of order 1 make no new extrema
    EXPECT_LE(*most, 2.5);
  }
  for (std::size_t i = 0; i < ends[0].size(); ++i)
    EXPECT_NEAR(ends[0][i], ends[1][i], 1e-8);
}

} // namespace
} // namespace weft
