// The adjoint of a discretised problem against the transpose of its matrix.
#include "op/adjoint/adjoint_problem.h"

#include <gtest/gtest.h>
#include <map>

#include "op/adjoint/check_adjoint.h"
#include "op/adjoint/error_density.h"
#include "op/evaluate/field_values.h"
#include "op/reference/matrix.h"
#include "op/reference/reference.h"
#include "support/discrete_problem.h"

namespace weft {
namespace {

using Entries = std::map<std::pair<std::int64_t, std::int64_t>, double>;

Entries entries_of(const HostMatrix &matrix, bool transpose) {
  Entries entries;
  const auto num_rows = static_cast<std::int64_t>(matrix.row_start.size()) - 1;
  for (std::int64_t row = 0; row < num_rows; ++row)
    for (auto at = matrix.row_start[row]; at < matrix.row_start[row + 1]; ++at) {
      const std::int64_t column = matrix.columns[at];
      entries[transpose ? std::pair(column, row) : std::pair(row, column)] = matrix.values[at];
    }
  return entries;
}

std::vector<double> some_state(const Discretisation &d) {
  std::vector<double> state(d.num_local);
  for (std::size_t i = 0; i < state.size(); ++i)
    state[i] = 0.6 + 0.4 * std::sin(1.7 * static_cast<double>(i));
  return state;
}

// Not symmetric, not linear, two fields of two orders, a known field, values by facet group, second
// derivatives.
const std::string coupled = R"toml(
[parameters]
h = { x0 = 2.0, x1 = 3.0 }
[fields]
v = { element = "P2", shape = "vector" }
u = { element = "P1" }
[auxiliary]
a = { element = "P1", value = "1 + x*y" }
[weak_form]
cells.all = "a*(1 + u^2)*inner(grad(v), grad(test(v))) + inner(dot(grad(v), v), test(v)) + exp(u)*dot(v, grad(u))*test(u) + inner(grad(u), grad(test(u))) + u^2*dot(div(grad(v)), test(v)) - u*dot(v, div(grad(test(v)))) + a*inner(grad(div(v)), grad(div(test(v))))"
facets.x0 = "h*u^4*test(u) + u*dot(v, n)*dot(v, test(v))"
facets.x1 = "h*(u - a)*test(u)"
[dirichlet]
y0 = { v = "[x, y]" }
y1 = { u = 1 }
)toml";

TEST(AdjointProblem, HasTheTransposedMatrix) {
  for (const std::string cell : {"triangle", "quadrilateral", "tetrahedron", "prism"}) {
    std::string text = box_text(cell) + coupled;
    if (!is_flat(cell))
      text.replace(text.find("[x, y]"), 6, "[x, y, z]");
    const DiscreteProblem problem(text);
    const std::vector<double> state = some_state(problem.d);
    const Discretisation adjoint = transposed(problem.d, state);
    const Entries expected = entries_of(reference::matrix(problem.d, state), true);
    const Entries found = entries_of(reference::matrix(adjoint, {}), false);
    ASSERT_EQ(found.size(), expected.size()) << cell;
    double largest = 0;
    for (const auto &[place, value] : expected)
      largest = std::max(largest, std::abs(value));
    for (const auto &[place, value] : expected)
      ASSERT_NEAR(found.at(place), value, 1e-13 * largest) << cell;
  }
}

// w . (F'(u)^T z) = z . (F'(u) w), without conditions.
TEST(AdjointProblem, ProductIsThatOfTheTransposed) {
  DiscreteProblem problem(box_text("triangle") + coupled);
  problem.d.constraints = {};
  const std::vector<double> state = some_state(problem.d);
  std::vector<double> z(state.size()), w(state.size());
  for (std::size_t i = 0; i < z.size(); ++i) {
    z[i] = std::cos(0.3 * static_cast<double>(i));
    w[i] = std::sin(0.7 * static_cast<double>(i));
  }
  const std::vector<double> backward = transposed_product(problem.d, state, z);
  const std::vector<double> forward = reference::apply(problem.d, state, w);
  double left = 0, right = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    left += w[i] * backward[i];
    right += z[i] * forward[i];
  }
  EXPECT_NEAR(left, right, 1e-12 * std::abs(right));
  EXPECT_GT(std::abs(right), 1e-3);
}

const std::string plain = R"toml(
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - test(u)"
[dirichlet]
x0 = { u = "x + y^2" }
[initial]
u = "1 + 2*x - 3*y"
)toml";

TEST(Interpolate, IsExactFromAnOrderToTheNext) {
  for (const std::string cell : all_cells)
    for (const bool second : {false, true}) {
      if (second && cell == "pyramid")
        continue; // order 2 is its highest
      std::string text = plain;
      if (second) {
        text.replace(text.find("P1"), 2, "P2");
        text.replace(text.find("2*x - 3*y"), 9, "2*x*y - y^2");
      }
      // Cells are affine, so that polynomials in x are polynomials in the reference coordinates.
      const DiscreteProblem problem(box_text(cell, 1, 0) + text);
      const Case higher = enriched_case(problem.c);
      const Discretisation d = make_enriched(higher, problem.mesh);
      EXPECT_EQ(d.form.fields[0].order, problem.d.form.fields[0].order + 1);
      Case free = higher;
      free.dirichlet.clear();
      Discretisation unprescribed = d, below = problem.d;
      unprescribed.constraints = below.constraints = {};
      const std::vector<double> expected = initial_state(free, unprescribed);
      const std::vector<double> found = interpolate(below, d, initial_state(problem.c, below));
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 1e-12) << cell;
    }
}

// The residual is what plain loops find, and its density adds up to it at least.
TEST(ErrorDensity, HasTheResidualOfTheDual) {
  const DiscreteProblem problem(box_text("triangle") + plain);
  Discretisation d = make_enriched(enriched_case(problem.c), problem.mesh);
  std::vector<double> dual(d.num_local);
  for (std::size_t i = 0; i < dual.size(); ++i)
    dual[i] = std::sin(static_cast<double>(i));
  for (const std::int32_t dof : d.constraints.dofs)
    dual[dof] = 0;
  const std::vector<double> state = some_state(d);
  const std::vector<double> residual = reference::residual(d, state);
  double expected = 0;
  for (std::size_t i = 0; i < dual.size(); ++i)
    expected -= dual[i] * residual[i];
  const ErrorDensity found = error_density(d, {state, state, dual, dual});
  EXPECT_NEAR(found.residual, expected, 1e-12 * std::abs(expected));
  ASSERT_EQ(found.density.size(), static_cast<std::size_t>(problem.mesh.num_cells()));
  double total = 0; // over the unit square
  const CellSet &cells = problem.mesh.sets[0];
  for (std::size_t c = 0; c < found.density.size(); ++c) {
    const auto x = [&](int i, int e) {
      return problem.mesh.coordinates[cells.nodes[3 * c + i] * 2 + e];
    };
    const double area = 0.5 * ((x(1, 0) - x(0, 0)) * (x(2, 1) - x(0, 1)) -
                               (x(1, 1) - x(0, 1)) * (x(2, 0) - x(0, 0)));
    EXPECT_GT(found.density[c], 0);
    total += area * found.density[c];
  }
  EXPECT_GE(total, std::abs(expected));
}

TEST(CheckAdjoint, NamesElementsWithoutANextOrder) {
  std::string text = box_text("pyramid") + plain;
  text.replace(text.find("P1"), 2, "P2");
  const DiscreteProblem problem(text + "[functionals]\nmean = { average = \"u\", error = true }\n");
  try {
    check_adjoint(problem.c, problem.d);
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_TRUE(contains(error.what(), "P2 of `u` on a pyramid")) << error.what();
  }
}

} // namespace
} // namespace weft
