// The levels of coarser discretisations, and levels without a matrix.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "op/levels/nested_levels.h"
#include "op/reference/matrix.h"
#include "op/reference/reference.h"
#include "op/set_up/make_discretisation.h"
#include "solve/multigrid/matrix_free_level.h"
#include "support/eigen_matrix.h"
#include "support/levelled_problem.h"
#include "support/solve_support.h"

namespace weft::test {
namespace {

Matrix reference_matrix(const Discretisation &d, const std::vector<double> &u) {
  return to_eigen(reference::matrix(d, u), d.num_owned);
}

double relative_difference(const Eigen::VectorXd &a, const Eigen::VectorXd &b) {
  return (a - b).lpNorm<Eigen::Infinity>() / b.lpNorm<Eigen::Infinity>();
}

const std::string diffusion = "[fields]\nu = { element = \"P2\" }\n[weak_form]\ncells.all = "
                              "\"(1 + 100*x)*dot(grad(u), grad(test(u))) + u*test(u)\"\n"
                              "[dirichlet]\nx0 = { u = 1 }\n";

TEST(MatrixFreeLevel, IsTheScaledOperator) {
  const DiscreteProblem problem("[mesh]\nbox = { cells = [5, 4], distort = 0.2 }\n" + diffusion);
  const Matrix a = reference_matrix(problem.d, std::vector<double>(problem.d.num_owned, 0.0));
  const Eigen::VectorXd s = a.diagonal().cwiseSqrt().cwiseInverse();
  const Matrix scaled = s.asDiagonal() * a * s.asDiagonal();
  const int n = int(a.rows());
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    const double rounding = precision == Precision::f64 ? 1e-12 : 1e-4;
    FormOperator op(device(), problem.d, {.precision = precision, .form_name = "level"});
    MatrixFreeLevel level(op);
    EXPECT_EQ(level.size(), n);
    EXPECT_EQ(level.precision(), precision);
    EXPECT_EQ(level.num_entries(), 0);
    EXPECT_LT(relative_difference(download_vector(*level.scaling()), s), rounding);
    const auto empty = [&] { return make_vector(device(), n, precision, "test vector"); };
    const Eigen::VectorXd x = random_vector(n, 1), b = random_vector(n, 2), w = random_vector(n, 3);
    Vector vx = upload_vector(x, precision), vb = upload_vector(b, precision),
           vw = upload_vector(w, precision), y = empty();
    level.diagonal(y);
    EXPECT_LT(relative_difference(download_vector(y), Eigen::VectorXd::Ones(n)), rounding);
    level.apply(vx, y);
    EXPECT_LT(relative_difference(download_vector(y), scaled * x), rounding);
    level.residual(vb, vx, y);
    EXPECT_LT(relative_difference(download_vector(y), b - scaled * x), rounding);
    level.smooth(vb, vx, vw, y, {.c1 = 0.3, .c2 = 1.5});
    Eigen::VectorXd next = 0.3 * w + 1.5 * (b - scaled * x);
    EXPECT_LT(relative_difference(download_vector(vw), next), rounding);
    EXPECT_LT(relative_difference(download_vector(y), x + next), rounding);
    level.smooth(vb, vx, vw, y, {.c1 = 0.5, .c2 = 2, .keeps_w = false});
    EXPECT_LT(relative_difference(download_vector(vw), next), rounding);
    next = 0.5 * next + 2 * (b - scaled * x);
    EXPECT_LT(relative_difference(download_vector(y), x + next), rounding);
    level.smooth(vb, {}, vw, y, {.c2 = 0.7, .reads_w = false, .reads_x = false});
    EXPECT_LT(relative_difference(download_vector(vw), 0.7 * b), rounding);
    EXPECT_LT(relative_difference(download_vector(y), 0.7 * b), rounding);
    Vector in_place = upload_vector(b, precision);
    level.residual(in_place, vx, in_place);
    EXPECT_LT(relative_difference(download_vector(in_place), b - scaled * x), rounding);
  }
}

TEST(NestedLevels, GoFromHighOrdersToOrderOneToCoarserMeshes) {
  const std::string text =
      "[mesh]\nbox = { cells = [8, 8], cell = \"quadrilateral\" }\n[fields]\nu = { element = "
      "\"P4\" }\n[weak_form]\ncells.all = \"dot(grad(u), grad(test(u)))\"\n[dirichlet]\nx0 = { u = "
      "1 }\n";
  const LevelledProblem problem(text);
  FormOperator op(device(), problem.d, {.form_name = "nested"});
  NestedLevels levels(op, problem.c, problem.d, problem.coarser,
                      {.precision = Precision::f32, .coarsest_size = 20});
  levels.update();
  ASSERT_EQ(levels.num_levels(), 5);
  const int sides[] = {33, 17, 9, 5, 3};
  for (int l = 0; l < 5; ++l) {
    EXPECT_EQ(levels.op(l).size(), sides[l] * sides[l]);
    EXPECT_EQ(levels.op(l).matrix() != nullptr, l >= 2) << l;
    EXPECT_EQ(levels.op(l).precision(), l >= 2 ? Precision::f64 : Precision::f32) << l;
    if (l < 4) {
      EXPECT_EQ(levels.prolongation(l).num_rows(), sides[l] * sides[l]);
    }
  }
  device().finish(); // what is queued must not run into the end of the process
}

TEST(NestedLevels, UseTheGivenOperatorWhereTheyCan) {
  const LevelledProblem problem("[mesh]\nbox = { cells = [4, 4] }\n[fields]\nu = {}\n[weak_form]\n"
                                "cells.all = \"dot(grad(u), grad(test(u)))\"\n");
  AssembledOperator with_matrix(device(), problem.d, {.form_name = "nested"});
  NestedLevels of_matrix(with_matrix, problem.c, problem.d, problem.coarser, {});
  EXPECT_EQ(&of_matrix.op(0), &with_matrix);
  EXPECT_EQ(of_matrix.num_levels(), 1); // 25 unknowns are few enough
  FormOperator without(device(), problem.d, {.form_name = "nested"});
  NestedLevels levels(without, problem.c, problem.d, problem.coarser,
                      {.coarsest_size = 1, .max_levels = 2});
  EXPECT_NE(levels.op(0).matrix(), nullptr); // of order 1: assembled
  EXPECT_EQ(levels.num_levels(), 2);
}

TEST(NestedLevels, WhatCannotBeCoarsenedIsSaid) {
  const LevelledProblem problem("[mesh]\nbox = { cells = [9, 4] }\n[fields]\nu = {}\n[weak_form]\n"
                                "cells.all = \"dot(grad(u), grad(test(u)))\"\n");
  FormOperator op(device(), problem.d, {.form_name = "nested"});
  const auto levels = [&](std::int64_t coarsest) {
    return NestedLevels(op, problem.c, problem.d, problem.coarser, {.coarsest_size = coarsest})
        .num_levels();
  };
  EXPECT_EQ(levels(50), 1); // it has that many unknowns
  try {
    levels(49);
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find("9 x 4 cells"), std::string::npos) << error.what();
  }
}

// Coarse operators are linearised at the state's values at their nodes, with time and rates.
TEST(NestedLevels, FollowTheLinearisationOfANonlinearForm) {
  const std::string text =
      "[mesh]\nbox = { cells = [4, 4], distort = 0.1 }\n[fields]\nu = { element = \"P2\" }\n"
      "[weak_form]\ncells.all = \"(1 + t)*dt(u)*(1 + u)*test(u) + (1 + u^2)*dot(grad(u), "
      "grad(test(u)))\"\n[dirichlet]\nx0 = { u = \"t\" }\n[time]\nend = 1\nstep = 0.1\n";
  LevelledProblem problem(text);
  FormOperator op(device(), problem.d, {.form_name = "nested"});
  NestedLevels levels(op, problem.c, problem.d, problem.coarser, {.coarsest_size = 5});
  ASSERT_EQ(levels.num_levels(), 4);
  for (const double time : {0.0, 0.5}) {
    set_time(problem.c, problem.d, time);
    op.set_time(time);
    const Eigen::VectorXd u = random_vector(int(op.size()), 5),
                          rate = random_vector(int(op.size()), 6);
    const Vector offset = upload_vector(rate, Precision::f64);
    op.set_rate(offset, 3);
    op.linearise(upload_vector(u, Precision::f64));
    levels.update();
    // A product of the operator of each level with its reference.
    std::vector<double> state(u.begin(), u.end()), offsets(rate.begin(), rate.end());
    for (int l = 0; l < 4; ++l) {
      const Discretisation &d = levels.discretisation(l);
      EXPECT_EQ(d.time, time);
      if (l > 0) {
        state = inject(levels.space(l), levels.discretisation(l - 1), state);
        offsets = inject(levels.space(l), levels.discretisation(l - 1), offsets);
      }
      const Eigen::VectorXd x = random_vector(int(d.num_owned), 7);
      const Precision precision = levels.op(l).precision();
      Vector vx = upload_vector(x, precision),
             y = make_vector(device(), d.num_owned, precision, "test vector");
      levels.op(l).apply(vx, y);
      const std::vector<double> expected =
          reference::apply(d, state, {x.begin(), x.end()}, {&offsets, 3});
      EXPECT_LT(relative_difference(download_vector(y),
                                    Eigen::Map<const Eigen::VectorXd>(expected.data(), x.size())),
                precision == Precision::f64 ? 1e-12 : 1e-4)
          << l;
    }
  }
}

} // namespace
} // namespace weft::test
