// The reference loops: patch tests, Jacobians against differences, symmetry, facet integrals.
#include <gtest/gtest.h>

#include <numeric>

#include "op/evaluate/field_values.h"
#include "op/reference/reference.h"
#include "support/discrete_problem.h"

using namespace weft;

namespace {

double largest(const std::vector<double> &v) {
  double result = 0;
  for (const double x : v)
    result = std::max(result, std::abs(x));
  return result;
}

double dot(const std::vector<double> &a, const std::vector<double> &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Numbers in (-1, 1) without a pattern, the same everywhere.
std::vector<double> some_vector(std::size_t n, unsigned seed) {
  std::vector<double> v(n);
  for (auto &x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<double>(seed >> 8) / (1u << 23) - 1;
  }
  return v;
}

// apply() against central differences of residual(), in free and constrained rows.
void expect_jacobian(const Discretisation &d, const std::string &name) {
  const auto u = some_vector(d.num_owned, 1), x = some_vector(d.num_owned, 2);
  auto free = x;
  for (const auto dof : d.constraints.dofs)
    free[dof] = 0;
  const double h = 1e-5;
  auto right = u, left = u;
  for (std::size_t i = 0; i < u.size(); ++i) {
    right[i] += h * free[i];
    left[i] -= h * free[i];
  }
  const auto r = reference::residual(d, right), l = reference::residual(d, left);
  const auto y = reference::apply(d, u, x);
  const double scale = largest(y);
  std::vector<bool> constrained(d.num_owned, false);
  for (const auto dof : d.constraints.dofs)
    constrained[dof] = true;
  for (std::size_t i = 0; i < u.size(); ++i)
    ASSERT_NEAR(y[i], constrained[i] ? x[i] : (r[i] - l[i]) / (2 * h), 1e-8 * scale) << name;
}

void expect_diagonal(const Discretisation &d, const std::string &name) {
  const auto u = some_vector(d.num_owned, 3);
  const auto diagonal = reference::diagonal(d, u);
  for (std::int64_t i = 0; i < d.num_owned; i += 1 + d.num_owned / 7) {
    std::vector<double> unit(d.num_owned, 0.0);
    unit[i] = 1;
    ASSERT_NEAR(diagonal[i], reference::apply(d, u, unit)[i], 1e-12 * largest(diagonal)) << name;
  }
}

} // namespace

// A polynomial of the element's degree satisfies its equation: -laplace(u) = f.
TEST(reference, polynomials_pass_the_patch_test) {
  for (const std::string cell : all_cells)
    for (int p = 1; p <= highest_order(cell); ++p) {
      const std::string l = is_flat(cell) ? "(1 + x - 2*y)" : "(1 + x - 2*y + 0.5*z)";
      const double square = is_flat(cell) ? 5 : 5.25;
      const auto power = [&](int n) { return l + "^" + std::to_string(n); };
      const std::string f =
          p < 2 ? "0" : std::to_string(-p * (p - 1) * square) + "*" + (p > 2 ? power(p - 2) : "1");
      const DiscreteProblem problem(
          box_text(cell) + "[fields]\nu = { element = \"P" + std::to_string(p) +
          "\" }\n[weak_form]\ncells.all = \"inner(grad(u), grad(test(u))) - " + f +
          "*test(u)\"\n[dirichlet]\nboundary = { u = \"" + power(p) + "\" }\n[initial]\nu = \"" +
          power(p) + "\"\n");
      const auto u = initial_state(problem.c, problem.d);
      const auto r = reference::residual(problem.d, u);
      EXPECT_LT(largest(r), 1e-12 * std::max(1.0, largest(u)) * p * p) << cell << " P" << p;
      EXPECT_GT(largest(reference::residual(problem.d, some_vector(u.size(), 5))), 0.1);
    }
}

TEST(reference, jacobian_is_the_derivative_of_the_residual) {
  for (const std::string cell : all_cells)
    for (int order = 1; order <= 2; ++order) {
      const std::string text = box_text(cell, order) + R"toml(
[parameters]
a = 1.5
[fields]
u = { element = "P2" }
v = { element = "P1", shape = "vector" }
[weak_form]
cells.all = "(1 + u^2)*inner(grad(u), grad(test(u))) + u*div(v)*test(u) + inner((2 + dot(v, v))*sym(grad(v)), grad(test(v))) + x*u*v[0]*test(v)[1]"
facets.x1 = "a*sin(u)*test(u) + u*dot(v, n)*dot(test(v), n)"
[dirichlet]
y0 = { u = "x", "v[1]" = 2 }
)toml";
      const DiscreteProblem problem(text, bend);
      EXPECT_FALSE(problem.d.form.linear);
      expect_jacobian(problem.d, cell);
      expect_diagonal(problem.d, cell);
    }
}

TEST(reference, interior_facets_have_both_sides_in_step) {
  for (const std::string cell : all_cells)
    for (int order = 1; order <= 2; ++order) {
      const std::string fields =
          "[auxiliary]\na = { element = \"P2\", value = \"sin(7*x)*cos(5*y)\""
          " }\n[fields]\nu = { element = \"P2\" }\n[weak_form]\n";
      // A continuous field has the same values on both sides only if the points coincide.
      const DiscreteProblem points(
          box_text(cell, order) + fields + "interior.all = \"jump(a)^2*avg(test(u))\"\n", bend);
      EXPECT_LT(largest(reference::residual(points.d, some_vector(points.d.num_owned, 1))), 1e-24)
          << cell;
      const DiscreteProblem jumps(box_text(cell, order) + fields +
                                      "cells.all = \"u*test(u)\"\ninterior.all = \"(1 + avg(u)^2)*"
                                      "dot(jump(grad(u)), n)*dot(jump(grad(test(u))), n)\"\n",
                                  bend);
      expect_jacobian(jumps.d, cell);
      expect_diagonal(jumps.d, cell);
    }
}

TEST(reference, interior_integrals_cover_all_inner_facets) {
  const DiscreteProblem problem(box_text("quadrilateral", 1, 0) +
                                "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                                "interior.all = \"minus(test(u))\"\n");
  const auto r = reference::residual(problem.d, std::vector<double>(problem.d.num_owned, 0.0));
  EXPECT_NEAR(std::accumulate(r.begin(), r.end(), 0.0), 2 + 1, 1e-14); // 3 x 2 squares
}

TEST(reference, symmetric_forms_apply_symmetrically) {
  for (const std::string cell : all_cells) {
    const DiscreteProblem problem(box_text(cell, 2) + R"toml(
[parameters]
mu = 1
lam = 2
[definitions]
eps = "sym(grad(u))"
[fields]
u = { element = "P2", shape = "vector" }
[weak_form]
cells.all = "inner(2*mu*eps + lam*tr(eps)*identity, sym(grad(test(u))))"
facets.x0 = "10*dot(u, test(u))"
)toml",
                                  bend);
    EXPECT_TRUE(problem.d.form.symmetric && problem.d.form.linear);
    const auto n = problem.d.num_owned;
    const auto u = std::vector<double>(n, 0.0), x = some_vector(n, 1), y = some_vector(n, 2);
    const double left = dot(y, reference::apply(problem.d, u, x));
    EXPECT_NEAR(left, dot(x, reference::apply(problem.d, u, y)), 1e-12 * std::abs(left)) << cell;
    EXPECT_GT(dot(x, reference::apply(problem.d, u, x)), 0);
  }
}

// The test function 1 picks out the integral itself.
TEST(reference, facet_integrals_by_hand) {
  for (const std::string cell : all_cells) {
    const DiscreteProblem problem(
        box_text(cell) + "[fields]\nu = { element = \"P2\" }\n[parameters]\nh = { x1 = 3.0, y0 = "
                         "5.0 }\n[weak_form]\nfacets.x1 = \"h*y^2*test(u)\"\n"
                         "facets.y0 = \"h*test(u)\"\n");
    const auto r = reference::residual(problem.d, std::vector<double>(problem.d.num_owned, 0.0));
    EXPECT_NEAR(std::accumulate(r.begin(), r.end(), 0.0), 3.0 / 3 + 5, 1e-12) << cell;
  }
}

TEST(reference, parameters_by_region_and_c_text) {
  const DiscreteProblem problem(
      box_text("triangle") + "[fields]\nu = { element = \"P1\" }\n[parameters]\nk = { box = 4.0 }\n"
                             "[weak_form]\ncells.all = \"k*test(u)\"\n");
  const auto r = reference::residual(problem.d, std::vector<double>(problem.d.num_owned, 0.0));
  EXPECT_NEAR(std::accumulate(r.begin(), r.end(), 0.0), 4, 1e-13);

  const DiscreteProblem text(box_text("triangle") +
                             "[fields]\nu = { element = \"P1\" }\n[pointwise]\n"
                             "u = { f0 = \"f0 = u;\", language = \"c\" }\n");
  try {
    reference::residual(text.d, std::vector<double>(text.d.num_owned, 0.0));
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  }
}
