// Where a solve begins by what solutions for other values of the parameters tell of it.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/problem_testing.h"
#include "weft/weft.h"

namespace weft {
namespace {

const std::string plate = R"toml(
[mesh]
box = { size = [1, 1], cells = [8, 6], cell = "triangle" }
[parameters]
q = 1.0
T_0 = 2.0
k = 1.5
[fields]
T = { element = "P2" }
[weak_form]
cells.all = "k*inner(grad(T), grad(test(T))) - q*x*test(T)"
facets.x1 = "T*test(T)"
[dirichlet]
x0 = { T = "T_0 + q*y" }
)toml";

ProblemOptions settable() {
  ProblemOptions options = test::one_thread();
  options.settable = {"q", "T_0", "k"};
  return options;
}

double norm_of_residual(Problem &problem) {
  std::vector<double> r(problem.num_dofs());
  problem.residual(problem.state(), r);
  double sum = 0;
  for (const double entry : r)
    sum += entry * entry;
  return std::sqrt(sum);
}

void solve_and_keep(Problem &problem, double q, double t, double k) {
  problem.set_parameters({{"q", {q}}, {"T_0", {t}}, {"k", {k}}});
  problem.solve();
  problem.keep_solution();
}

TEST(FirstGuess, OfLoadsAndPrescribedValuesIsTheSolution) {
  Problem problem(CaseText{.text = plate}, settable());
  EXPECT_FALSE(problem.set_first_guess());
  // q and T_0 stand in what is given alone, so that three solutions span those of all their values.
  solve_and_keep(problem, 1, 2, 1.5);
  solve_and_keep(problem, 3, 2, 1.5);
  solve_and_keep(problem, 1, 7, 1.5);
  problem.set_parameters({{"q", {-4}}, {"T_0", {11}}});
  ASSERT_TRUE(problem.set_first_guess());
  EXPECT_EQ(problem.solve().iterations, 0);
  const std::vector<double> guessed(problem.state().begin(), problem.state().end());
  problem.reset();
  EXPECT_GT(problem.solve().iterations, 0);
  for (std::size_t i = 0; i < guessed.size(); ++i)
    EXPECT_NEAR(guessed[i], problem.state()[i], 1e-7);
}

TEST(FirstGuess, IsNoWorseThanTheLastSolution) {
  Problem problem(CaseText{.text = plate}, settable());
  for (const double k : {1.0, 2.0, 3.0, 4.0, 5.0}) // of which the last four are kept
    solve_and_keep(problem, 1, 2, k);
  problem.set_parameter("k", 6);
  const double of_last = norm_of_residual(problem);
  ASSERT_TRUE(problem.set_first_guess());
  EXPECT_LT(norm_of_residual(problem), 0.1 * of_last);
}

TEST(FirstGuess, IsOfStationaryProblems) {
  const std::string text = "[time]\nend = 1\nstep = 0.5\n" + plate;
  Problem problem(
      CaseText{.text = text.substr(0).replace(text.find("k*inner"), 0, "dt(T)*test(T) + ")},
      test::one_thread());
  EXPECT_NE(test::error_text([&] { problem.keep_solution(); }, ErrorKind::input).find("[time]"),
            std::string::npos);
}

} // namespace
} // namespace weft
