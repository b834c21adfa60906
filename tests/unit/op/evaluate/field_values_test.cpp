// Functionals, errors, initial values, output fields and probes against integrals by hand.
#include <gtest/gtest.h>

#include "base/parallel.h"
#include "op/evaluate/field_values.h"
#include "support/discrete_problem.h"

using namespace weft;

namespace {

std::string scalar_field(int order) {
  return "[fields]\nu = { element = \"P" + std::to_string(order) +
         "\" }\n[weak_form]\ncells.all = \"inner(grad(u), grad(test(u)))\"\n";
}

std::map<std::string, std::vector<double>> functionals_of(const DiscreteProblem &problem,
                                                          const std::vector<double> &state) {
  std::map<std::string, std::vector<double>> result;
  for (const auto &value : functionals(problem.c, problem.d, state))
    result[value.name] = value.values;
  return result;
}

} // namespace

// Polynomials that the elements hold: on straight cells all of their order, on curved ones those of
// half of it.
TEST(field_values, second_derivatives_are_exact) {
  const auto expect = [](const std::string &cell, int order, bool curved, const std::string &u,
                         const std::vector<std::string> &derivatives) {
    SCOPED_TRACE(cell + (curved ? ", curved" : ""));
    std::string text = "[functionals]\n";
    for (std::size_t i = 0; i < derivatives.size(); ++i) {
      const std::string name = std::string(1, static_cast<char>('a' + i));
      if (is_flat(cell))
        text += name + " = { maximum = \"abs(" + derivatives[i] + ")\" }\n";
      text += name + "0 = { value = \"" + derivatives[i] +
              "\", point = " + (is_flat(cell) ? "[0.41, 0.37]" : "[0.41, 0.37, 0.43]") + " }\n";
    }
    const DiscreteProblem problem(box_text(cell, curved ? 2 : 1) + scalar_field(order) +
                                      "[initial]\nu = \"" + u + "\"\n" + text,
                                  curved ? std::function<void(double *)>(bend) : nullptr);
    for (const auto &[name, values] : functionals_of(problem, initial_state(problem.c, problem.d)))
      EXPECT_NEAR(values[0], 0, 1e-9) << name;
  };
  for (const std::string cell : all_cells) {
    const bool pyramid = cell == "pyramid";
    if (!pyramid)
      expect(cell, 3, false, "x^2*y",
             {"grad(grad(u))[0, 0] - 2*y", "grad(grad(u))[0, 1] - 2*x", "grad(grad(u))[1, 0] - 2*x",
              "grad(grad(u))[1, 1]", "div(grad(u)) - 2*y"});
    expect(cell, 2, true, "x", {"grad(grad(u))[0, 0]", "grad(grad(u))[0, 1]", "div(grad(u))"});
    if (!pyramid)
      expect(cell, 4, true, "x^2 - x*y",
             {"grad(grad(u))[0, 0] - 2", "grad(grad(u))[0, 1] + 1", "div(grad(u)) - 2"});
  }
}

TEST(field_values, functionals_by_hand) {
  for (const std::string cell : all_cells) {
    const DiscreteProblem problem(box_text(cell) + scalar_field(2) + R"toml(
[initial]
u = "x^2 + y"
[functionals]
volume = { integral = "1" }
total = { integral = "u*x", cells = "box" }
mean = { average = "u", facets = "x1" }
flux = { integral = "dot(grad(u), n)", facets = "boundary" }
top = { maximum = "u" }
low = { minimum = "u", facets = ["x1", "y1"] }
both = { integral = "[u, 2]", facets = "y0" }
)toml");
    auto f = functionals_of(problem, initial_state(problem.c, problem.d));
    EXPECT_NEAR(f["volume"][0], 1, 1e-13) << cell;
    EXPECT_NEAR(f["total"][0], 1.0 / 4 + 1.0 / 4, 1e-12) << cell;
    EXPECT_NEAR(f["mean"][0], 1 + 0.5, 1e-12) << cell;
    EXPECT_NEAR(f["flux"][0], 2, 1e-11) << cell; // the integral of laplace(u)
    EXPECT_NEAR(f["top"][0], 2, 1e-12) << cell;
    EXPECT_NEAR(f["low"][0], 1, 1e-12) << cell;
    ASSERT_EQ(f["both"].size(), 2u);
    EXPECT_NEAR(f["both"][0], 1.0 / 3, 1e-12) << cell;
    EXPECT_NEAR(f["both"][1], 2, 1e-12) << cell;
  }
}

// Fluxes through the boundary of bent cells: points, normals and areas of curved facets.
TEST(field_values, divergence_theorem_on_bent_meshes) {
  for (const std::string cell : all_cells)
    for (int order = 1; order <= 2; ++order) {
      const std::string a = is_flat(cell) ? "[x^2, x*y]" : "[x^2, x*y, x*z]";
      const std::string div_a = is_flat(cell) ? "3*x" : "4*x";
      const DiscreteProblem problem(
          box_text(cell, order) + scalar_field(2) +
              "[functionals]\nvolume = { integral = \"1\" }\n"
              "flux = { integral = \"dot(X, n)\", facets = \"boundary\" }\n"
              "inside = { integral = \"" +
              div_a +
              "\", cells = \"all\" }\n"
              "through = { integral = \"dot(" +
              a + ", n)\", facets = \"all\" }\n",
          bend, 8);
      auto f = functionals_of(problem, std::vector<double>(problem.d.num_owned, 0.0));
      EXPECT_NEAR(f["flux"][0], problem.mesh.dim * f["volume"][0], 1e-12) << cell << order;
      EXPECT_NEAR(f["inside"][0], f["through"][0], 1e-12) << cell << order;
      EXPECT_GT(f["volume"][0], 0.9);
    }
}

TEST(field_values, errors_vanish_for_what_the_element_holds_and_not_otherwise) {
  for (const std::string cell : all_cells) {
    const DiscreteProblem exact(box_text(cell) + scalar_field(2) +
                                "[initial]\nu = \"x^2 - x*y\"\n[exact]\nu = \"x^2 - x*y\"\n");
    const auto zero = errors(exact.c, exact.d, initial_state(exact.c, exact.d));
    ASSERT_EQ(zero.size(), 1u);
    EXPECT_EQ(zero[0].field, "u");
    EXPECT_LT(zero[0].l2, 1e-14) << cell;
    EXPECT_LT(zero[0].h1, 1e-12) << cell;
    // The error of the field 0 is the norm of x: 1/3; its gradient adds 1.
    const DiscreteProblem nothing(box_text(cell) + scalar_field(1) + "[exact]\nu = \"x\"\n");
    const auto norm = errors(nothing.c, nothing.d, std::vector<double>(nothing.d.num_owned, 0.0));
    EXPECT_NEAR(norm[0].l2, std::sqrt(1.0 / 3), 1e-13) << cell;
    EXPECT_NEAR(norm[0].h1, std::sqrt(4.0 / 3), 1e-13) << cell;
  }
}

TEST(field_values, errors_of_vectors_sum_components) {
  const DiscreteProblem problem(
      box_text("triangle") + "[fields]\nu = { element = \"P1\", shape = \"vector\" }\n[weak_form]\n"
                             "cells.all = \"dot(u, test(u))\"\n[exact]\nu = [\"x\", \"2*y\"]\n");
  const auto norm = errors(problem.c, problem.d, std::vector<double>(problem.d.num_owned, 0.0));
  EXPECT_NEAR(norm[0].l2, std::sqrt(5.0 / 3), 1e-13);
  EXPECT_NEAR(norm[0].h1, std::sqrt(5.0 / 3 + 5), 1e-13);
}

TEST(field_values, initial_state_honours_regions_and_constraints) {
  const DiscreteProblem problem(box_text("tetrahedron") + scalar_field(2) +
                                "[parameters]\na = { box = 7.0 }\n[initial]\nu = \"a + x\"\n"
                                "[dirichlet]\nx1 = { u = -1 }\n");
  const auto u = initial_state(problem.c, problem.d);
  const auto &x = problem.d.map_of_field(0).coordinates;
  for (std::size_t n = 0; n < u.size(); ++n)
    EXPECT_NEAR(u[n], x[3 * n] > 1 - 1e-12 ? -1 : 7 + x[3 * n], 1e-13);
}

TEST(field_values, probes_and_points_on_curved_cells) {
  for (const std::string cell : all_cells)
    for (int order = 1; order <= 2; ++order) {
      const std::string position = is_flat(cell) ? "[0.4, 0.55]" : "[0.4, 0.55, 0.3]";
      const DiscreteProblem problem(box_text(cell, order) + scalar_field(1) +
                                        "[initial]\nu = \"1 + 2*x - y\"\n[functionals]\n"
                                        "value = { point = " +
                                        position +
                                        ", value = \"u\" }\n"
                                        "slope = { point = " +
                                        position + ", value = \"grad(u)\" }\n",
                                    order == 1 ? std::function<void(double *)>() : bend);
      const auto u = initial_state(problem.c, problem.d);
      std::vector<double> point = {0.4, 0.55, 0.3};
      point.resize(problem.mesh.dim);
      const double tolerance = order == 1 ? 1e-12 : 0.1; // P1 on curved cells is not linear
      EXPECT_NEAR(probe(problem.d, u, point)[0], 1 + 0.8 - 0.55, tolerance) << cell;
      auto f = functionals_of(problem, u);
      EXPECT_NEAR(f["value"][0], 1 + 0.8 - 0.55, tolerance) << cell;
      EXPECT_NEAR(f["slope"][0], 2, 5 * tolerance) << cell;
      EXPECT_NEAR(f["slope"][1], -1, 5 * tolerance) << cell;
      point[0] = 3;
      EXPECT_THROW(probe(problem.d, u, point), Error);
    }
}

// At an inner node of u = |x - 1/3| the slope is the mean over the cells that touch it.
TEST(field_values, gradients_at_a_node_are_averaged) {
  const DiscreteProblem problem(
      box_text("quadrilateral", 1, 0) + scalar_field(1) +
      "[initial]\nu = \"abs(x - 1/3)\"\n[functionals]\n"
      "slope = { point = [0.33333333333333333, 0.5], value = \"grad(u)\" }\n"
      "outside = { point = [0.1, 1.5], value = \"u\" }\n");
  const auto u = initial_state(problem.c, problem.d);
  Case only_slope = problem.c;
  only_slope.functionals.resize(1);
  EXPECT_NEAR(functionals(only_slope, problem.d, u)[0].values[0], 0, 1e-14);
  try {
    functionals(problem.c, problem.d, u);
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_TRUE(contains(error.what(), "outside the mesh")) << error.what();
    EXPECT_TRUE(contains(error.what(), "[1, 1]")) << error.what();
  }
}

TEST(field_values, output_fields) {
  const DiscreteProblem problem(box_text("tetrahedron") + R"toml(
[fields]
u = { element = "P1" }
w = { element = "P2", shape = "vector" }
[weak_form]
cells.all = "u*test(u) + dot(w, test(w))"
[initial]
u = "x"
w = ["x^2", 0, 1]
[output]
fields = ["w", "2*u", "grad(u)", "grad(w)"]
)toml");
  const auto u = initial_state(problem.c, problem.d);
  const auto output = output_fields(problem.c, problem.d, u);
  ASSERT_EQ(output.size(), 4u);
  const auto &fine = problem.d.map_of_field(1);
  EXPECT_EQ(output[0].name, "w");
  EXPECT_EQ(output[0].order, 2);
  EXPECT_EQ(output[0].components, 3);
  ASSERT_EQ(output[0].values.size(), static_cast<std::size_t>(3 * fine.num_local));
  EXPECT_FALSE(output[1].discontinuous);
  ASSERT_EQ(output[1].values.size(), static_cast<std::size_t>(fine.num_local));
  for (std::int64_t n = 0; n < fine.num_local; ++n) {
    const double x = fine.coordinates[3 * n];
    EXPECT_NEAR(output[0].values[3 * n], x * x, 1e-14);
    EXPECT_NEAR(output[1].values[n], 2 * x, 1e-14);
  }
  // Constant in each cell: one value a cell.
  EXPECT_TRUE(output[2].discontinuous);
  EXPECT_EQ(output[2].order, 0);
  EXPECT_EQ(output[2].values.size(), static_cast<std::size_t>(3 * problem.mesh.num_cells()));
  EXPECT_NEAR(output[2].values[0], 1, 1e-13);
  EXPECT_NEAR(output[2].values[1], 0, 1e-13);
  // At each cell's own nodes.
  EXPECT_EQ(output[3].order, 2);
  EXPECT_EQ(output[3].components, 9);
  const auto &set = fine.sets[0];
  ASSERT_EQ(output[3].values.size(), 9 * set.nodes.size());
  for (std::size_t k = 0; k < set.nodes.size(); ++k)
    EXPECT_NEAR(output[3].values[9 * k], 2 * fine.coordinates[3 * set.nodes[k]], 1e-12);
  // All fields where none is named.
  Case all = problem.c;
  all.output.fields.clear();
  EXPECT_EQ(output_fields(all, problem.d, u).size(), 2u);
}

TEST(field_values, sums_do_not_depend_on_the_threads) {
  const DiscreteProblem problem(box_text("tetrahedron", 1, 0.2, "[11, 11, 11]") + scalar_field(1) +
                                "[initial]\nu = \"sin(5*x)*y\"\n[exact]\nu = \"x\"\n[functionals]\n"
                                "total = { integral = \"exp(u)*z\" }\n");
  set_host_threads(1);
  const auto one = initial_state(problem.c, problem.d);
  const auto total = functionals(problem.c, problem.d, one)[0].values[0];
  const auto error = errors(problem.c, problem.d, one)[0].h1;
  set_host_threads(3);
  EXPECT_EQ(initial_state(problem.c, problem.d), one);
  EXPECT_EQ(functionals(problem.c, problem.d, one)[0].values[0], total);
  EXPECT_EQ(errors(problem.c, problem.d, one)[0].h1, error);
  set_host_threads(0);
}

namespace {

// A functional of u = x on the unit square; what is wrong with it in `fault`.
FunctionalValue functional_of(const std::string &text, std::string &fault) {
  const DiscreteProblem problem(box_text("triangle") + scalar_field(1) + "[initial]\nu = \"x\"\n" +
                                "[functionals]\nf = " + text + "\n");
  const FunctionalValue value =
      functionals(problem.c, problem.d, initial_state(problem.c, problem.d))[0];
  fault = value.fault;
  return value;
}

} // namespace

TEST(field_values, what_is_not_finite_says_where) {
  std::string fault;
  for (const char *kind : {"maximum", "minimum", "integral", "average"}) {
    const std::string text = std::string("{ ") + kind + " = \"sqrt(u - 0.5)\" }";
    EXPECT_TRUE(std::isnan(functional_of(text, fault).values[0])) << kind;
    EXPECT_TRUE(fault.starts_with("is nan at (0.") && fault.ends_with("of region box")) << fault;
  }
  // NaN at the last node alone, and only in one component.
  const std::string corner = "where(x + y > 1.999, sqrt(-x), u)";
  EXPECT_TRUE(std::isnan(functional_of("{ maximum = \"" + corner + "\" }", fault).values[0]));
  EXPECT_EQ(fault, "is nan at (1, 1) of region box");
  EXPECT_TRUE(std::isnan(functional_of("{ maximum = \"[u, " + corner + "]\" }", fault).values[1]));
  EXPECT_EQ(fault, "component 1 is nan at (1, 1) of region box");
  EXPECT_TRUE(
      std::isnan(functional_of("{ maximum = \"log(-y)\", facets = \"x1\" }", fault).values[0]));
  EXPECT_TRUE(fault.ends_with(" of group x1")) << fault;
  EXPECT_TRUE(std::isinf(
      functional_of("{ point = [0.25, 0.5], value = \"1/(u - 0.25)\" }", fault).values[0]));
  EXPECT_EQ(fault, "is inf at (0.25, 0.5)");
  functional_of("{ integral = \"1e308*exp(10*u)\" }", fault);
  EXPECT_NE(fault, "");
  functional_of("{ maximum = \"u\" }", fault);
  EXPECT_EQ(fault, "");
}

TEST(field_values, errors_and_output_fields_that_are_not_finite_say_where) {
  const DiscreteProblem problem(box_text("quadrilateral") + scalar_field(1) +
                                "[exact]\nu = \"sqrt(x - 0.5)\"\n[output]\n"
                                "fields = [\"u\", \"1/u\", \"grad(u)/u\"]\n");
  std::vector<double> state(problem.d.num_owned, 1.0);
  EXPECT_TRUE(
      errors(problem.c, problem.d, state)[0].fault.starts_with("is not finite in the cell"));
  for (const OutputField &field : output_fields(problem.c, problem.d, state))
    EXPECT_EQ(field.fault, "") << field.name;
  const auto &x = problem.d.map_of_field(0).coordinates;
  for (std::size_t n = 0; n < state.size(); ++n)
    if (x[2 * n] < 1e-9 && x[2 * n + 1] < 1e-9)
      state[n] = 0;
  const auto fields = output_fields(problem.c, problem.d, state);
  EXPECT_EQ(fields[0].fault, "");
  EXPECT_EQ(fields[1].fault, "is inf at (0, 0)");
  EXPECT_NE(fields[2].fault.find("in the cell at ("), std::string::npos) << fields[2].fault;
}

TEST(field_values, initial_values_that_are_not_finite_are_refused) {
  const DiscreteProblem problem(box_text("triangle") + scalar_field(1) +
                                "[initial]\nu = \"1/x\"\n");
  try {
    initial_state(problem.c, problem.d);
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("u is inf in the cell at ("), std::string::npos)
        << error.what();
  }
}
