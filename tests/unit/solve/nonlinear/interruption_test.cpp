#include <csignal>
#include <gtest/gtest.h>

#include "base/system/interruption.h"
#include "op/evaluate/field_values.h"
#include "op/weak_form/form_operator.h"
#include "solve/linear/linear.h"
#include "solve/nonlinear/newton.h"
#include "support/stepped_problem.h"

namespace weft {
namespace {

// Asks for an end in an iteration of a solve, and forgets it at the end of the test.
struct InterruptedSolve : testing::Test {
  ~InterruptedSolve() override { withdraw_interruption(); }
  static void ask(int iteration, double) {
    if (iteration >= 3)
      request_interruption(SIGINT);
  }
};

TEST_F(InterruptedSolve, EveryMethodEndsSoon) {
  const test::Matrix matrix = test::stencil_matrix(400, 1e-3);
  test::CsrOperator op(matrix, Precision::f64, true);
  for (const KrylovKind method : {KrylovKind::cg, KrylovKind::bicgstab, KrylovKind::gmres}) {
    SolverSettings settings;
    settings.method = method;
    Vector b = test::upload_vector(test::random_vector(400, 1), Precision::f64);
    Vector x = test::upload_vector(Eigen::VectorXd::Zero(400), Precision::f64);
    const SolveReport report = solve_linear(op, b, x, settings, ask);
    EXPECT_EQ(report.status, SolveStatus::interrupted) << int(method);
    EXPECT_FALSE(report.converged);
    EXPECT_NE(report.reason.find("interrupted by SIGINT"), std::string::npos) << report.reason;
    EXPECT_TRUE(test::download_vector(x).allFinite());
    withdraw_interruption();
    EXPECT_TRUE(solve_linear(op, b, x, settings).converged); // nothing is left of it
  }
}

struct Steps : test::SteppedProblem {
  FormOperator op;
  Steps()
      : SteppedProblem("[mesh]\nbox = { cells = [2, 2], cell = \"triangle\" }\n"
                       "[time]\nend = 1\nstep = 1\n[fields]\nu = { element = \"P2\" }\n"
                       "[weak_form]\ncells.all = \"dt(u)*test(u) + (1 + u^2)*inner(grad(u), "
                       "grad(test(u))) - (1 + x)*exp(t)*test(u)\"\n"),
        op(test::device(), problem.d, {}) {}

private:
  NonlinearOperator &system() override { return op; }
};

TEST_F(InterruptedSolve, AStepThatIsCutShortIsTakenAnew) {
  const TimeSettings settings = {.scheme = TimeScheme::bdf2, .step = 0.1, .stops = {1}};
  Steps steps;
  const TimeState three = steps.run(settings, {}, nullptr, 3);
  const TimeState whole = steps.run(settings, {}, &three);
  request_interruption(SIGTERM);
  const TimeState stopped = steps.run(settings, {}, &three);
  EXPECT_EQ(steps.report.status, SolveStatus::interrupted);
  EXPECT_EQ(stopped.num_steps, 3);
  EXPECT_EQ(stopped.num_newton_steps, three.num_newton_steps);
  EXPECT_EQ(stopped.states, three.states);
  withdraw_interruption();
  EXPECT_EQ(steps.run(settings, {}, &stopped).states, whole.states);
}

} // namespace
} // namespace weft
