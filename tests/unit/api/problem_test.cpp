// What a program of somebody else's has of a problem: its equations as functions of arrays, its
// steps in time, its values.
#include "weft/weft.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/problem_testing.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

using test::error_text;
using test::one_thread;

using Array = std::vector<double>;

Problem problem_of(const std::string &text) {
  return Problem(CaseText{.text = text}, one_thread());
}

const std::string poisson = R"toml(
[mesh]
box = { size = [1, 2], cells = [4, 5], cell = "triangle" }
[fields]
u = { element = "P2" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) + u**3*test(u) - test(u)"
[dirichlet]
x0 = { u = 1 }
[functionals]
mean = { average = "u" }
)toml";

const std::string elasticity = R"toml(
physics = ["elasticity"]
[mesh]
box = { size = [1, 1, 1], cells = [3, 3, 3], cell = "hexahedron" }
[parameters]
E = 1.0
nu = 0.3
)toml";

const std::string decay = R"toml(
[mesh]
box = { size = [1, 1], cells = [2, 2], cell = "quadrilateral" }
[parameters]
rate = 1.0
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "dt(u)*test(u) + rate*u*test(u)"
[initial]
u = 1
[time]
scheme = "theta"
theta = 0.5
end = 1
step = 0.125
[functionals]
mean = { average = "u" }
)toml";

Array wave(std::size_t n, double phase = 0) {
  Array values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = 0.3 * std::sin(1.3 * double(i) + phase);
  return values;
}

double largest_difference(const Array &a, const Array &b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// y = A x by the entries.
Array product(const MatrixView &matrix, const Array &x) {
  Array y(matrix.num_rows, 0.0);
  for (std::size_t row = 0; row < matrix.num_rows; ++row)
    for (std::int64_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e)
      y[row] += matrix.values[e] * x[matrix.columns[e]];
  return y;
}

TEST(Problem, JacobianIsTheDerivativeOfTheResidual) {
  Problem problem = problem_of(poisson);
  const std::size_t n = problem.num_dofs();
  Array prescribed(problem.constrained_dofs().size(), 0.0);
  problem.constrained_values(prescribed);
  EXPECT_EQ(prescribed, Array(prescribed.size(), 1.0));
  const Array u = wave(n);
  Array x = wave(n, 0.7);
  for (const std::size_t dof : problem.constrained_dofs())
    x[dof] = 0; // their columns are not in the Jacobian
  Array y(n), up(n), down(n), forward = u, backward = u;
  problem.linearise(u);
  problem.apply(x, y);
  const double h = 1e-5;
  for (std::size_t i = 0; i < n; ++i) {
    forward[i] += h * x[i];
    backward[i] -= h * x[i];
  }
  problem.residual(forward, up);
  problem.residual(backward, down);
  for (std::size_t i = 0; i < n; ++i)
    up[i] = (up[i] - down[i]) / (2 * h);
  EXPECT_LT(largest_difference(y, up), 1e-8);
  // Three ways to the same matrix.
  Array with_state(n), diagonal(n);
  problem.apply(u, x, with_state);
  EXPECT_EQ(with_state, y);
  const MatrixView matrix = problem.matrix();
  EXPECT_LT(largest_difference(product(matrix, x), y), 1e-13);
  problem.diagonal(diagonal);
  for (std::size_t row = 0; row < n; ++row) {
    const auto begin = matrix.columns.begin() + matrix.row_start[row];
    const auto end = matrix.columns.begin() + matrix.row_start[row + 1];
    const auto at = std::lower_bound(begin, end, std::int32_t(row));
    ASSERT_NE(at, end);
    EXPECT_NEAR(matrix.values[at - matrix.columns.begin()], diagonal[row], 1e-13);
  }
}

TEST(Problem, MatrixFollowsStateAndRate) {
  Problem problem = problem_of(decay);
  const std::size_t n = problem.num_dofs();
  const Array u(n, 0.0), ones(n, 1.0);
  const auto sum = [&] {
    problem.linearise(u);
    const Array y = product(problem.matrix(), ones);
    return std::accumulate(y.begin(), y.end(), 0.0);
  };
  EXPECT_NEAR(sum(), 1, 1e-13); // the mass of the square times the rate
  problem.set_rate(u, 10);
  EXPECT_NEAR(sum(), 11, 1e-12);
  problem.set_parameter("rate", 3);
  problem.set_rate(u, 10);
  EXPECT_NEAR(sum(), 13, 1e-12);
}

TEST(Problem, CellMatricesSumUpToTheMatrix) {
  Problem problem = problem_of(elasticity);
  const std::size_t n = problem.num_dofs();
  const Array u(n, 0.0), x = wave(n);
  problem.linearise(u);
  Array expected(n), found(n, 0.0);
  problem.apply(x, expected);
  for (const CellMatrices &cells : problem.cell_matrices(u)) {
    EXPECT_EQ(cells.vtk_type, 12);
    EXPECT_EQ(cells.num_cells, 27u);
    ASSERT_EQ(cells.size, 24u);
    ASSERT_EQ(cells.values.size(), 27u * 24 * 24);
    for (std::size_t c = 0; c < cells.num_cells; ++c)
      for (std::size_t i = 0; i < cells.size; ++i)
        for (std::size_t j = 0; j < cells.size; ++j)
          found[cells.dofs[c * cells.size + i]] +=
              cells.values[(c * cells.size + i) * cells.size + j] *
              x[cells.dofs[c * cells.size + j]];
  }
  EXPECT_LT(largest_difference(found, expected), 1e-13);
  problem.apply_cell_matrices(u, x, found);
  EXPECT_LT(largest_difference(found, expected), 1e-13);
}

// Six of them, and no stress in any.
TEST(Problem, NearNullSpaceOfElasticityIsOfRigidMotions) {
  Problem problem = problem_of(elasticity);
  const std::vector<Array> vectors = problem.near_null_space();
  ASSERT_EQ(vectors.size(), 6u);
  problem.linearise(Array(problem.num_dofs(), 0.0));
  for (std::size_t a = 0; a < 6; ++a) {
    Array stress(problem.num_dofs());
    problem.apply(vectors[a], stress);
    EXPECT_LT(largest_difference(stress, Array(stress.size(), 0.0)), 1e-14) << a;
    for (std::size_t b = 0; b < 6; ++b)
      EXPECT_NEAR(std::inner_product(vectors[a].begin(), vectors[a].end(), vectors[b].begin(), 0.0),
                  a == b ? 1 : 0, 1e-13);
  }
}

// Preconditioned Richardson steps converge where plain ones would blow up.
TEST(Problem, PreconditionerApproximatesTheInverse) {
  Problem problem = problem_of(poisson + "[solver]\noperator = \"assembled\"\n"
                                         "preconditioner = \"multigrid\"\n");
  const std::size_t n = problem.num_dofs();
  const Array u(n, 0.0);
  problem.linearise(u);
  const Array exact = wave(n);
  Array b(n), r(n), z(n), x(n, 0.0), ax(n);
  problem.apply(exact, b);
  for (int i = 0; i < 40; ++i) {
    problem.apply(x, ax);
    for (std::size_t k = 0; k < n; ++k)
      r[k] = b[k] - ax[k];
    problem.precondition(r, z);
    for (std::size_t k = 0; k < n; ++k)
      x[k] += z[k];
  }
  EXPECT_LT(largest_difference(x, exact), 1e-8);
}

TEST(Problem, DeviceVectorsGiveTheSame) {
  Problem problem = problem_of(poisson);
  const std::size_t n = problem.num_dofs();
  const Array u = wave(n), x = wave(n, 2);
  DeviceVector u_there = problem.device_vector(), x_there = problem.device_vector(),
               result = problem.device_vector();
  u_there.set(u);
  x_there.set(x);
  Array expected(n), found(n);
  problem.residual(u, expected);
  problem.residual(u_there, result);
  result.get(found);
  EXPECT_EQ(found, expected);
  problem.linearise(u_there);
  problem.apply(x_there, result);
  result.get(found);
  problem.linearise(u);
  problem.apply(x, expected);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(result.on_host(), result.cuda_device() < 0);
  if (result.on_host()) {
    result.finish();
    EXPECT_EQ(static_cast<const double *>(result.data())[n / 2], expected[n / 2]);
  }
  Problem other = problem_of(decay);
  DeviceVector foreign = other.device_vector();
  EXPECT_NE(
      error_text([&] { problem.apply(foreign, result); }, ErrorKind::input).find("another problem"),
      std::string::npos);
}

TEST(Problem, EndsBetweenStepsWhereItIsAskedTo) {
  Problem problem = problem_of(decay);
  problem.on_step([](const StepInfo &step) {
    if (step.number == 3)
      request_interruption(SIGINT);
  });
  const SolveResult ended = problem.try_solve();
  withdraw_interruption();
  EXPECT_FALSE(ended.converged);
  EXPECT_NE(ended.reason.find("interrupted by SIGINT"), std::string::npos) << ended.reason;
  // The trapezoidal rule's factor of three steps.
  EXPECT_NEAR(problem.functional("mean"), std::pow((1 - 0.0625) / (1 + 0.0625), 3), 1e-9);
  problem.on_step({});
  EXPECT_TRUE(problem.try_solve().converged);
}

TEST(Problem, StepsAreThoseOfASolve) {
  Problem whole = problem_of(decay), stepped = problem_of(decay);
  std::vector<double> times, means;
  whole.on_step([&](const StepInfo &step) {
    times.push_back(step.time);
    means.push_back(whole.functional("mean"));
  });
  const SolveResult result = whole.solve();
  EXPECT_TRUE(result.converged);
  ASSERT_EQ(times.size(), 9u); // the start and 8 steps
  for (std::size_t i = 1; i < times.size(); ++i) {
    const StepInfo step = stepped.step();
    EXPECT_EQ(step.number, std::int64_t(i));
    EXPECT_EQ(step.time, times[i]);
    EXPECT_EQ(step.finished, i == 8);
    EXPECT_EQ(stepped.functional("mean"), means[i]);
    // Crank and Nicolson: each step by (1 - h/2)/(1 + h/2).
    EXPECT_NEAR(means[i], std::pow((1 - 0.0625) / (1 + 0.0625), double(i)), 1e-9);
  }
  EXPECT_EQ(stepped.time(), 1);
  // And anew.
  EXPECT_EQ(stepped.step().time, 0.125);
  EXPECT_EQ(stepped.functional("mean"), means[1]);
}

TEST(Problem, ParametersMayChangeBetweenSteps) {
  Problem problem = problem_of(decay);
  double expected = 1;
  for (int i = 0; i < 8; ++i) {
    const double rate = 1 + i;
    problem.set_parameter("rate", rate);
    problem.step();
    expected *= (1 - rate / 16) / (1 + rate / 16);
    EXPECT_NEAR(problem.functional("mean"), expected, 1e-9) << i;
  }
}

TEST(Problem, WhatACallbackThrowsComesOut) {
  Problem problem = problem_of(decay);
  problem.on_step([](const StepInfo &step) {
    if (step.number == 3)
      throw std::runtime_error("enough");
  });
  EXPECT_THROW(problem.solve(), std::runtime_error);
  EXPECT_NEAR(problem.functional("mean"), std::pow((1 - 0.0625) / (1 + 0.0625), 3.0), 1e-9);
}

// The rate of a law: div(u, u/2) of u = x + y is 1.5, times -1.
TEST(Problem, ResidualOfAConservationLaw) {
  for (const char *scheme : {"lsrk4", "bdf2"}) {
    Problem problem = problem_of(std::string(R"toml(
[mesh]
box = { size = [1, 1], cells = [3, 3], cell = "quadrilateral" }
[fields]
u = { element = "DG1" }
[conservation_law]
flux.u = "[u, 0.5*u]"
wave_speed = "1.2"
[boundary.all]
outer.u = "x + y"
[initial]
u = "x + y"
[time]
end = 0.1
step = 0.01
scheme = ")toml") + scheme + "\"\n");
    const std::size_t n = problem.num_dofs();
    Array r(n), y(n);
    problem.residual(problem.state(), r); // dt(u) - L with dt(u) = 0
    EXPECT_LT(largest_difference(r, Array(n, 1.5)), 1e-11) << scheme;
    // Linear, but for what comes in: J u = F(u) - F(0).
    Array at_zero(n);
    problem.residual(Array(n, 0.0), at_zero);
    problem.linearise(problem.state());
    problem.apply(problem.state(), y);
    for (std::size_t i = 0; i < n; ++i)
      r[i] -= at_zero[i];
    EXPECT_LT(largest_difference(y, r), 1e-10) << scheme;
    EXPECT_NE(error_text([&] { problem.matrix(); }, ErrorKind::unsupported).find("order 0"),
              std::string::npos);
  }
}

TEST(Problem, ValuesAtPointsAndNodes) {
  Problem problem = problem_of(poisson);
  const Array at = problem.node_coordinates("u");
  Array u(problem.num_dofs());
  for (std::size_t i = 0; i < u.size(); ++i)
    u[i] = 1 + at[2 * i] * at[2 * i] - 3 * at[2 * i + 1]; // of P2
  problem.set_state(u);
  const Array points = {0.1, 0.2, 0.77, 1.9, 0.5, 0.8, 0, 0, 1, 2};
  const Array found = problem.values_at(points, "u");
  ASSERT_EQ(found.size(), 5u);
  for (std::size_t p = 0; p < 5; ++p)
    EXPECT_NEAR(found[p], 1 + points[2 * p] * points[2 * p] - 3 * points[2 * p + 1], 1e-12);
  const Array gradients = problem.values_at(points, "grad(u)");
  ASSERT_EQ(gradients.size(), 10u);
  for (std::size_t p = 0; p < 5; ++p) {
    EXPECT_NEAR(gradients[2 * p], 2 * points[2 * p], 1e-12);
    EXPECT_NEAR(gradients[2 * p + 1], -3, 1e-12);
  }
  const Array nodes = problem.values_at_nodes("u", "2*u");
  for (std::size_t i = 0; i < u.size(); ++i)
    EXPECT_NEAR(nodes[i], 2 * u[i], 1e-12);
  // At the points of the mesh, whatever the order of the field: the place itself.
  const MeshView mesh = problem.mesh();
  const Array at_points = problem.values_at_mesh_points("x - 3*y");
  ASSERT_EQ(at_points.size() * 2, mesh.points.size());
  for (std::size_t p = 0; p < at_points.size(); ++p)
    EXPECT_NEAR(at_points[p], mesh.points[2 * p] - 3 * mesh.points[2 * p + 1], 1e-12);
  EXPECT_NE(error_text(
                [&] {
                  problem.values_at(Array{0.5, 2.5}, "u");
                },
                ErrorKind::input)
                .find("[0.5, 2.5]"),
            std::string::npos);
  error_text([&] { problem.values_at(Array{0.5}, "u"); }, ErrorKind::input);
  EXPECT_NE(error_text([&] { problem.values_at(points, "v"); }, ErrorKind::input).find("v"),
            std::string::npos);
}

// Thousands of points at once find the same as each alone.
TEST(Problem, ManyPoints) {
  Problem problem = problem_of(poisson);
  problem.set_state(wave(problem.num_dofs()));
  Array points;
  for (int i = 0; i < 3000; ++i) {
    points.push_back(0.5 + 0.5 * std::sin(12.9898 * i));
    points.push_back(1 + std::cos(78.233 * i));
  }
  const Array all = problem.values_at(points, "u");
  for (int i = 0; i < 3000; i += 97)
    EXPECT_EQ(all[i], problem.values_at(std::span(&points[2 * i], 2), "u")[0]) << i;
}

TEST(Problem, ErrorsHaveTheirKind) {
  EXPECT_NE(error_text([] { problem_of("[fields"); }, ErrorKind::input).find("case"),
            std::string::npos);
  EXPECT_NE(error_text([] { read("no/such.toml"); }, ErrorKind::input).find("no/such.toml"),
            std::string::npos);
  Problem problem = problem_of(poisson);
  const std::size_t n = problem.num_dofs();
  Array short_one(n - 1), whole(n);
  for (const auto &call : std::vector<std::function<void()>>{
           [&] { problem.residual(short_one, whole); }, [&] { problem.residual(whole, short_one); },
           [&] { problem.set_state(short_one); }, [&] { problem.linearise(short_one); }})
    EXPECT_NE(error_text(call, ErrorKind::input).find(std::to_string(n)), std::string::npos);
  EXPECT_NE(error_text([&] { problem.apply(whole, whole); }, ErrorKind::input).find("linearise"),
            std::string::npos);
  EXPECT_NE(error_text([&] { problem.matrix(); }, ErrorKind::input).find("linearise"),
            std::string::npos);
  EXPECT_NE(error_text([&] { problem.step(); }, ErrorKind::input).find("stationary"),
            std::string::npos);
  EXPECT_NE(error_text([&] { problem.functional("men"); }, ErrorKind::input).find("mean"),
            std::string::npos);
  EXPECT_NE(error_text([&] { problem.field("v"); }, ErrorKind::input).find("u"), std::string::npos);
  EXPECT_NE(error_text([&] { problem.write("/tmp"); }, ErrorKind::input).find("solve()"),
            std::string::npos);
  // One step of Newton's method is too few.
  Problem hasty = problem_of(poisson + "[solver]\nnewton.max_iterations = 1\n");
  EXPECT_FALSE(hasty.try_solve().converged);
  error_text([&] { hasty.solve(); }, ErrorKind::numerical);
}

// The differences of two solves, and the exact value of a problem that has one.
TEST(Problem, GradientsAndErrorsOfFunctionals) {
  const std::string text = R"toml(
[mesh]
box = { size = [1, 1], cells = [8, 8], cell = "triangle" }
[parameters]
k = 2.0
f = 3.0
edge = 0.5
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "k*(1 + u**2)*inner(grad(u), grad(test(u))) - f*test(u)"
[dirichlet]
all = { u = "edge" }
[functionals]
mean = { average = "u" }
[solver]
newton.tolerance = 1e-13
)toml";
  Problem problem = problem_of(text);
  EXPECT_NE(error_text([&] { problem.error_estimate("mean"); }, ErrorKind::input).find("solve()"),
            std::string::npos);
  problem.solve();
  const double value = problem.functional("mean");
  const std::vector<std::string> names = {"k", "f", "edge"};
  const std::vector<std::vector<double>> gradient = problem.gradient("mean", names);
  const double estimate = problem.error_estimate("mean").front();
  ASSERT_EQ(gradient.size(), 3u);
  for (std::size_t p = 0; p < 3; ++p) {
    const double at = problem.parameter(names[p]).front(), h = 1e-4 * at;
    const auto mean_at = [&](double parameter) {
      problem.set_parameter(names[p], parameter);
      problem.solve();
      return problem.functional("mean");
    };
    const double difference = (mean_at(at + h) - mean_at(at - h)) / (2 * h);
    EXPECT_NEAR(gradient[p].front(), difference, 1e-6 * std::abs(difference)) << names[p];
    mean_at(at);
  }
  // After parameters were set it is the same.
  EXPECT_NEAR(problem.gradient("mean", {"k"}).front().front(), gradient[0].front(),
              1e-8 * std::abs(gradient[0].front()));
  Problem fine(CaseText{.text = text}, one_thread({"mesh.refine=3"}));
  fine.solve();
  const double off = fine.functional("mean") - value;
  EXPECT_GT(estimate / off, 0.8);
  EXPECT_LT(estimate / off, 1.25);
  EXPECT_NE(error_text([&] { problem.gradient("mean", {"kk"}); }, ErrorKind::input).find("k"),
            std::string::npos);
}

TEST(Problem, WritesWhatARunWrites) {
  Problem problem = problem_of(poisson);
  problem.solve();
  const TemporaryFolder folder;
  problem.write(folder.file("results"));
  for (const char *file : {"fields.vtu", "fields.pvd", "results.json"})
    EXPECT_TRUE(std::filesystem::exists(folder.file("results") + "/" + file)) << file;
  const std::string report = problem.report();
  EXPECT_NE(report.find("\"mean\""), std::string::npos);
  EXPECT_NE(report.find("\"converged\": true"), std::string::npos);
}

// Each thread has problems of its own.
TEST(Problem, SeveralThreads) {
  std::vector<double> means(2, 0.0);
  const auto solve = [&](int i) {
    for (int again = 0; again < 3; ++again) {
      Problem problem = problem_of(poisson);
      problem.solve();
      means[i] = problem.functional("mean");
    }
  };
  std::thread other(solve, 1);
  solve(0);
  other.join();
  EXPECT_GT(means[0], 0.5);
  EXPECT_EQ(means[0], means[1]);
}

} // namespace
} // namespace weft
