#include "solve/nonlinear/newton.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "support/solve_support.h"

namespace weft {

using test::CsrOperator;
using test::download_vector;
using test::Matrix;
using test::random_vector;
using test::stencil_matrix;
using test::upload_vector;

namespace {

struct Cubic {
  Matrix matrix = stencil_matrix(597, 0.1);
  Eigen::VectorXd solution = random_vector(597, 1);
  double a = 5;
  Eigen::VectorXd b() const { return matrix * solution + a * solution.array().cube().matrix(); }
};

} // namespace

TEST(SolveNonlinear, linear_operator_takes_one_step) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    const Matrix matrix = stencil_matrix(597, 0.1);
    const Eigen::VectorXd expected = random_vector(597, 1);
    CsrOperator op(matrix, precision, true, 0, matrix * expected);
    Vector u = upload_vector(random_vector(597, 2), precision);
    const double tolerance = precision == Precision::f64 ? 1e-10 : 1e-5;
    const SolveReport report = solve_nonlinear(op, u, {.tolerance = tolerance});
    EXPECT_TRUE(report.converged) << report.reason;
    EXPECT_LE(report.residual, tolerance);
    EXPECT_LE(report.newton_steps, 2);
    EXPECT_EQ(int(report.history.size()), report.iterations + 1);
    EXPECT_LT((download_vector(u) - expected).norm(), 1e2 * tolerance * expected.norm());
  }
}

TEST(SolveNonlinear, newton_converges_quadratically) {
  const Cubic problem;
  CsrOperator op(problem.matrix, Precision::f64, true, problem.a, problem.b());
  Vector u = upload_vector(Eigen::VectorXd::Zero(597), Precision::f64);
  int last = 0;
  const SolveReport report = solve_nonlinear(
      op, u, {.tolerance = 1e-12, .newton = {.tolerance = 1e-12}}, [&](int iteration, double) {
        EXPECT_GT(iteration, last);
        last = iteration;
      });
  EXPECT_TRUE(report.converged) << report.reason;
  EXPECT_LT((download_vector(u) - problem.solution).norm(), 1e-10 * problem.solution.norm());
  EXPECT_EQ(last, report.iterations);
  EXPECT_EQ(int(report.history.size()), report.newton_steps + 1);
  EXPECT_LE(report.newton_steps, 15);
  // From where the linear part rules on, each residual is bounded by a multiple of the square of
  // the last; the forcing terms keep this up to the step that only has to reach the tolerance.
  int quadratic = 0;
  for (std::size_t i = 1; i + 1 < report.history.size(); ++i)
    if (report.history[i] < 1e-2) {
      EXPECT_LT(report.history[i + 1],
                std::max(100 * report.history[i] * report.history[i], 1e-12));
      ++quadratic;
    }
  EXPECT_GE(quadratic, 2);
}

TEST(SolveNonlinear, line_search_shortens_steps_that_overshoot) {
  // u^3 with a tiny linear part, from near 0: the first full step goes a thousand times too far.
  Cubic problem;
  problem.matrix *= 1e-3;
  problem.solution = Eigen::VectorXd::Ones(597);
  CsrOperator op(problem.matrix, Precision::f64, true, problem.a, problem.b());
  Vector u = upload_vector(Eigen::VectorXd::Constant(597, 1e-3), Precision::f64);
  const SolveReport report =
      solve_nonlinear(op, u, {.newton = {.tolerance = 1e-10, .max_iterations = 60}});
  EXPECT_TRUE(report.converged) << report.reason;
  EXPECT_TRUE(std::any_of(report.newton.begin(), report.newton.end(),
                          [](const NewtonStep &step) { return step.factor < 0.1; }));
}

// What may be asked for ends at u = 1.2, and steps are cut to stay below.
TEST(SolveNonlinear, steps_stay_where_the_residual_may_be_asked_for) {
  Cubic problem;
  problem.matrix *= 1e-3;
  problem.solution = Eigen::VectorXd::Ones(597);
  CsrOperator op(problem.matrix, Precision::f64, true, problem.a, problem.b());
  Vector u = upload_vector(Eigen::VectorXd::Constant(597, 0.3), Precision::f64);
  int refused = 0;
  const auto valid = [&](const std::vector<double> &state) {
    const bool inside = *std::max_element(state.begin(), state.end()) < 1.2;
    refused += !inside;
    return inside;
  };
  const SolveReport report = solve_nonlinear(op, u, {.newton = {.valid = valid}});
  EXPECT_TRUE(report.converged) << report.reason;
  EXPECT_GE(refused, 1);
  EXPECT_LT((download_vector(u) - problem.solution).norm(), 1e-8 * problem.solution.norm());
}

// A residual that no step can reduce further is one to rounding, and told as such.
TEST(SolveNonlinear, ends_at_rounding) {
  Cubic problem;
  CsrOperator op(problem.matrix, Precision::f64, true, problem.a, problem.b());
  Vector u = upload_vector(problem.solution + 1e-6 * random_vector(597, 3), Precision::f64);
  const SolveReport report = solve_nonlinear(op, u, {.newton = {.tolerance = 1e-14}});
  EXPECT_TRUE(report.converged) << report.reason;
  EXPECT_TRUE(report.to_rounding);
  EXPECT_NE(report.reason.find("rounding"), std::string::npos) << report.reason;
}

TEST(SolveNonlinear, failures_are_told) {
  const Cubic problem;
  Eigen::VectorXd b = problem.b();
  CsrOperator slow(problem.matrix, Precision::f64, true, problem.a, b);
  Vector u = upload_vector(Eigen::VectorXd::Zero(597), Precision::f64);
  const SolveReport cut = solve_nonlinear(slow, u, {.newton = {.max_iterations = 2}});
  EXPECT_EQ(cut.status, SolveStatus::max_iterations) << cut.reason;
  EXPECT_EQ(cut.newton_steps, 2);

  u = upload_vector(Eigen::VectorXd::Zero(597), Precision::f64);
  const SolveReport linear = solve_nonlinear(slow, u, {.max_iterations = 1});
  EXPECT_EQ(linear.status, SolveStatus::max_iterations) << linear.reason;
  EXPECT_NE(linear.reason.find("linear system of step 1"), std::string::npos) << linear.reason;

  b[5] = std::nan("");
  CsrOperator bad(problem.matrix, Precision::f64, true, problem.a, b);
  u = upload_vector(Eigen::VectorXd::Zero(597), Precision::f64);
  EXPECT_EQ(solve_nonlinear(bad, u, {}).status, SolveStatus::not_finite);

  // F(u) = 1 + u^2-like without a root: u^3 coefficient and Jacobian of opposite sign.
  CsrOperator uphill(problem.matrix, Precision::f64, true, problem.a, problem.b(), -0.2);
  u = upload_vector(Eigen::VectorXd::Constant(597, 3), Precision::f64);
  const SolveReport failed = solve_nonlinear(
      uphill, u, {.method = KrylovKind::gmres, .restart = 100, .newton = {.max_iterations = 100}});
  EXPECT_FALSE(failed.converged) << failed.reason;
}

TEST(SolveNonlinear, jacobian_check_tells_right_from_wrong) {
  const Cubic problem;
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    const bool f64 = precision == Precision::f64;
    const SolverSettings settings = {
        .tolerance = f64 ? 1e-10 : 1e-4,
        .newton = {.tolerance = f64 ? 1e-10 : 1e-4, .check_jacobian = true}};
    CsrOperator right(problem.matrix, precision, true, problem.a, problem.b());
    Vector u = upload_vector(Eigen::VectorXd::Ones(597), precision);
    const SolveReport good = solve_nonlinear(right, u, settings);
    EXPECT_TRUE(good.converged) << good.reason;
    EXPECT_EQ(int(good.jacobian_check.size()), 9 * good.newton_steps);
    const auto smaller = [](const auto &a, const auto &b) { return a.error < b.error; };
    const auto [best, worst] =
        std::minmax_element(good.jacobian_check.begin(), good.jacobian_check.end(), smaller);
    EXPECT_LT(best->error, f64 ? 1e-8 : 1e-2);
    EXPECT_GT(worst->error, best->error);

    CsrOperator wrong(problem.matrix, precision, true, problem.a, problem.b(), 1.1);
    u = upload_vector(Eigen::VectorXd::Ones(597), precision);
    const SolveReport bad = solve_nonlinear(wrong, u, settings);
    EXPECT_EQ(bad.status, SolveStatus::wrong_jacobian) << bad.reason;
    EXPECT_EQ(bad.newton_steps, 0);
    EXPECT_EQ(bad.jacobian_check.size(), 9u);
  }
}

} // namespace weft
