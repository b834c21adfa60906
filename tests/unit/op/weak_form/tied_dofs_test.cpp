// Dofs that follow others: operators against C^T A C by the reference loops, and the weights.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "op/assembly/assembled_operator.h"
#include "op/problem/dof_layout.h"
#include "op/reference/reference.h"
#include "support/case_text.h"
#include "support/discrete_problem.h"
#include "support/test_device.h"

namespace weft {
namespace {

std::vector<double> test_values_of(std::size_t size, double phase) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i)
    values[i] = 1.5 + std::sin(phase + 0.7 * double(i));
  return values;
}

std::vector<bool> prescribed(const Discretisation &d) {
  std::vector<bool> result(d.num_owned, false);
  for (const std::int32_t dof : d.constraints.dofs)
    result[dof] = true;
  return result;
}

// r = C^T r, with `value` in the entries that follow others.
void fold(const Discretisation &d, std::vector<double> &r, const std::vector<double> &values,
          bool squared = false) {
  const std::vector<bool> fixed = prescribed(d);
  const Ties &ties = d.ties;
  for (std::size_t i = 0; i < ties.dofs.size(); ++i) {
    for (std::int32_t k = ties.first[i]; k < ties.first[i + 1]; ++k)
      if (!fixed[ties.others[k]])
        r[ties.others[k]] += (squared ? ties.weights[k] : 1) * ties.weights[k] * r[ties.dofs[i]];
    r[ties.dofs[i]] = values[i];
  }
}

std::vector<double> tied_residual(const Discretisation &d, std::vector<double> u) {
  set_tied(d.ties, u);
  std::vector<double> r = reference::residual(d, u);
  fold(d, r, std::vector<double>(d.ties.dofs.size(), 0.));
  return r;
}

std::vector<double> tied_product(const Discretisation &d, std::vector<double> u,
                                 const std::vector<double> &x) {
  set_tied(d.ties, u);
  std::vector<double> free = x, own;
  for (const std::int32_t dof : d.constraints.dofs)
    free[dof] = 0;
  Ties without_jumps = d.ties;
  without_jumps.jumps.assign(d.ties.jumps.size(), 0.);
  for (const std::int32_t dof : d.ties.dofs)
    own.push_back(x[dof]);
  set_tied(without_jumps, free);
  std::vector<double> y = reference::apply(d, u, free);
  fold(d, y, own);
  for (const std::int32_t dof : d.constraints.dofs)
    y[dof] = x[dof];
  return y;
}

void expect_near(const std::vector<double> &found, const std::vector<double> &expected,
                 const std::string &what) {
  ASSERT_EQ(found.size(), expected.size());
  double size = 0, apart = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    size = std::max(size, std::abs(expected[i]));
    apart = std::max(apart, std::abs(found[i] - expected[i]));
  }
  EXPECT_LT(apart, 1e-11 * size) << what;
}

// By the default operator, or by all: what follows other dofs is the same to each of them.
void expect_tied(const DiscreteProblem &problem, const std::string &what, bool every_operator) {
  const Discretisation &d = problem.d;
  ASSERT_FALSE(d.ties.empty());
  const std::vector<double> u = test_values_of(d.num_owned, 0.3),
                            x = test_values_of(d.num_owned, 1.1);
  const std::unique_ptr<Device> device = open_test_device();
  const auto check = [&](FormOperator &op, const std::string &kind) {
    const auto upload = [&](const std::vector<double> &values) {
      Vector vector = make_vector(*device, op.layout(), op.precision(), "vector of a test");
      op.set_dofs(values, vector);
      return vector;
    };
    Vector state = upload(u), direction = upload(x), result = upload(u);
    op.residual(state, result);
    expect_near(get_vector(*device, result), tied_residual(d, u), what + kind + " residual");
    std::vector<double> set = u;
    set_tied(d.ties, set);
    expect_near(op.dofs(state), set, what + kind + " state");
    op.linearise(state);
    op.apply(direction, result);
    expect_near(get_vector(*device, result), tied_product(d, u, x), what + kind + " product");
    expect_near(get_vector(*device, direction), x, what + kind + " direction");
  };
  FormOperator by_blocks(*device, d, {});
  check(by_blocks, " by blocks");
  if (!every_operator)
    return;
  OperatorSettings settings;
  settings.strategy = Strategy::cell;
  FormOperator by_cells(*device, d, settings);
  check(by_cells, " by cells");
  AssembledOperator assembled(*device, d, {});
  check(assembled, " assembled");
  Vector diagonal =
      make_vector(*device, assembled.layout(), assembled.precision(), "diagonal of a test");
  assembled.diagonal(diagonal);
  const std::vector<double> found = get_vector(*device, diagonal);
  for (std::int64_t i = 0; i < d.num_owned; i += 7) {
    std::vector<double> unit(d.num_owned, 0.);
    unit[i] = 1;
    EXPECT_NEAR(found[i], tied_product(d, u, unit)[i], 1e-11 * (1 + std::abs(found[i]))) << what;
  }
}

std::string tied_reaction(int order) {
  return "[fields]\nu = { element = \"P" + std::to_string(order) + R"TOML(" }
[parameters]
k = "1 + x*y"
[weak_form]
cells.all = "k*inner(grad(u), grad(test(u))) + u**2*test(u)"
facets.y1 = "u**3*test(u)"
[dirichlet]
y0 = { u = "1 + x" }
[[tied]]
groups = ["x0", "x1"]
jump = { u = "2 + y" }
)TOML";
}

// The nodes of one side along it, so that they do not match those of the other.
void shear_one_side(double *x) {
  x[1] += 0.15 * x[0] * std::sin(std::numbers::pi * x[1]);
}

TEST(TiedDofs, MatchingSidesOfAllCells) {
  for (const std::string cell : all_cells) {
    const DiscreteProblem problem(box_text(cell, 1, 0.2, "[3, 2, 2]") + tied_reaction(1));
    for (const double weight : problem.d.ties.weights)
      EXPECT_EQ(weight, 1);
    expect_tied(problem, cell, cell == "triangle");
  }
}

TEST(TiedDofs, SidesThatDoNotMatch) {
  for (const auto &[cell, order] :
       {std::pair("triangle", 2), std::pair("quadrilateral", 3), std::pair("tetrahedron", 2),
        std::pair("prism", 1), std::pair("hexahedron", 2)}) {
    const DiscreteProblem problem(box_text(cell, 1, 0.2, "[3, 3, 2]") + tied_reaction(order),
                                  shear_one_side);
    expect_tied(problem, cell, order == 3);
  }
}

TEST(TiedDofs, VectorsOfSeveralPairsAndTwoFields) {
  const DiscreteProblem problem(R"TOML(
[mesh]
box = { cells = [4, 3], cell = "triangle", distort = 0.2 }
[fields]
v = { element = "P2", shape = "vector" }
p = { element = "P1" }
[weak_form]
cells.all = "inner(grad(v), grad(test(v))) + dot(v, v)*dot(v, test(v)) - p*div(test(v)) + div(v)*test(p) + p*test(p)"
[[tied]]
groups = ["x0", "x1"]
jump = { v = [1, 2] }
[[tied]]
groups = ["y0", "y1"]
jump = { p = 3 }
)TOML");
  expect_tied(problem, "two pairs", true);
  // A corner follows through both pairs, and only corners do.
  double largest = 0;
  for (const double jump : problem.d.ties.jumps)
    largest = std::max(largest, jump);
  EXPECT_EQ(largest, 3);
}

// Values that both sides can represent are kept.
TEST(TiedDofs, ProjectionsKeepPolynomials) {
  for (const auto &[cell, order] :
       {std::pair("triangle", 1), std::pair("triangle", 3), std::pair("quadrilateral", 2),
        std::pair("tetrahedron", 1), std::pair("tetrahedron", 2), std::pair("tetrahedron", 3),
        std::pair("prism", 2), std::pair("hexahedron", 2)}) {
    const DiscreteProblem problem(
        box_text(cell, 1, 0, "[2, 3, 3]") + "[fields]\nu = { element = \"P" +
            std::to_string(order) +
            "\" }\n[weak_form]\ncells.all = \"u*test(u)\"\n[[tied]]\ngroups = [\"x0\", \"x1\"]\n",
        shear_one_side);
    const Discretisation &d = problem.d;
    const NodeMap &map = d.map_of_field(0);
    std::vector<double> values(d.num_owned);
    for (std::int64_t node = 0; node < map.num_owned; ++node) {
      const double *x = &map.coordinates[node * d.mesh->dim];
      values[node] = 1 + 2 * x[1] + (d.mesh->dim == 3 ? 0.5 * x[2] : 0);
      if (order > 1)
        values[node] += 0.7 * x[1] * x[1];
    }
    std::vector<double> followed = values;
    bool some_are_projected = false;
    set_tied(d.ties, followed);
    for (const std::int32_t dof : d.ties.dofs)
      EXPECT_NEAR(followed[dof], values[dof], 1e-9) << cell << " P" << order;
    for (const double weight : d.ties.weights)
      some_are_projected = some_are_projected || std::abs(weight - 0.5) < 0.45;
    EXPECT_TRUE(some_are_projected) << cell;
  }
}

TEST(TiedDofs, VectorsTurnWithTheirSide) {
  const auto to_quarter_ring = [](double *x) {
    const double r = 1 + x[0], angle = x[1] * std::numbers::pi / 2;
    x[0] = r * std::cos(angle);
    x[1] = r * std::sin(angle);
  };
  const DiscreteProblem problem(R"TOML(
[mesh]
box = { cells = [3, 4], cell = "quadrilateral" }
[fields]
u = { element = "P2", shape = "vector" }
s = { element = "P1" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) + s*test(s) + dot(u, test(u))"
[[tied]]
groups = ["y0", "y1"]
rotation = { angle = 90 }
)TOML",
                                to_quarter_ring);
  const Discretisation &d = problem.d;
  expect_tied(problem, "quarter of a ring", true);
  std::vector<double> values(d.num_owned);
  for (int f = 0; f < 2; ++f)
    for (std::int64_t node = 0; node < d.map_of_field(f).num_owned; ++node) {
      const double *x = &d.map_of_field(f).coordinates[node * 2];
      const double radius = std::hypot(x[0], x[1]);
      if (f == 1)
        values[vector_dof(d, 1, node, 0)] = radius;
      for (int k = 0; f == 0 && k < 2; ++k) // along the radius, and around
        values[vector_dof(d, 0, node, k)] = x[k] + (k == 0 ? -2 * x[1] : 2 * x[0]);
    }
  std::vector<double> followed = values;
  set_tied(d.ties, followed);
  for (const std::int32_t dof : d.ties.dofs)
    EXPECT_NEAR(followed[dof], values[dof], 1e-9);
}

void expect_refused(const std::string &text, const std::string &part) {
  try {
    const DiscreteProblem problem(text);
    FAIL() << "no error, expected " << part;
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(TiedDofs, WhatDoesNotFitIsRefused) {
  const std::string box = "[mesh]\nbox = { cells = [3, 3], cell = \"triangle\" }\n";
  const std::string form = "[fields]\nu = {}\n[weak_form]\ncells.all = \"u*test(u)\"\n";
  const auto tied = [](const std::string &first, const std::string &second,
                       const std::string &more = "") {
    return "[[tied]]\ngroups = [\"" + first + "\", \"" + second + "\"]\n" + more;
  };
  expect_refused(box + form + tied("x0", "y1"), "do not lie on one another");
  expect_refused(box + form + tied("x0", "right"), "right");
  expect_refused(box + form + tied("x0", "boundary"), "tied to a part");
  expect_refused(box + form + "[dirichlet]\nboundary = { u = 0 }\n" + tied("x0", "x1"),
                 "parts are tied");
  expect_refused(box + form + tied("x0", "x1", "rotation = { axis = [0, 0, 1], angle = 180 }\n"),
                 "in the plane");
  expect_refused(box + form + tied("x0", "x1", "jump = { w = 1 }\n"), "w");
  expect_refused(box +
                     "[fields]\nu = { element = \"DG1\" }\n[weak_form]\ncells.all = "
                     "\"u*test(u)\"\n" +
                     tied("x0", "x1"),
                 "discontinuous");
  // The corner at the origin is on both sides of a turn of a square.
  expect_refused(box +
                     "[fields]\nu = { shape = \"vector\" }\n[weak_form]\ncells.all = "
                     "\"dot(u, test(u))\"\n" +
                     tied("y0", "x0", "rotation = { angle = 90 }\n"),
                 "follows itself");
}

} // namespace
} // namespace weft
