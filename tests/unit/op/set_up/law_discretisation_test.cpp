// What a conservation law becomes on a mesh: discontinuous nodes, conditions on the boundary,
// values over the mesh through what weak forms use.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/permutation.h"
#include "op/evaluate/field_values.h"
#include "op/evaluate/state_fault.h"
#include "support/discrete_problem_error.h"

using namespace weft;

namespace {

std::string box(const std::string &more = "") {
  return "[mesh]\nbox = { cells = [3, 2], cell = \"triangle\"" + more + " }\n";
}

std::string advection(const std::string &boundaries, const std::string &mesh = box()) {
  return mesh + R"toml(
[fields]
u = { element = "DG2" }
[conservation_law]
flux.u = "[u, 2*u]"
wave_speed = "sqrt(5)"
[time]
end = 1
cfl = 0.5
)toml" + boundaries;
}

const std::string all = "[boundary.all]\nouter = { u = 0 }\n";

void expect_parts(const std::string &message, const std::vector<std::string> &parts) {
  for (const std::string &part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << part << " in:\n" << message;
}

// "(0.25, 0.5)" of a cell of two beside one another.
std::string inverse_permutation(const DiscreteProblem &problem, std::int64_t cell) {
  const auto &x = problem.d.map_of_field(0).coordinates;
  return x[2 * 4 * cell] + x[2 * (4 * cell + 3)] < 1 ? "(0.25, 0.5) of region box"
                                                     : "(0.75, 0.5) of region box";
}

} // namespace

TEST(law_discretisation, each_cell_has_its_own_nodes) {
  const DiscreteProblem problem(advection(all + "[auxiliary]\na = { value = \"x\" }\n"));
  const Discretisation &d = problem.d;
  ASSERT_TRUE(d.law.has_value());
  EXPECT_EQ(d.num_owned, 12 * 6);
  EXPECT_TRUE(d.map_of_field(0).discontinuous);
  EXPECT_EQ(d.maps[d.auxiliary[0].map].num_local, 12);
  EXPECT_TRUE(d.form.integrals.empty());
  EXPECT_TRUE(d.constraints.dofs.empty());
}

TEST(law_discretisation, conditions_by_group_and_for_all_others) {
  const DiscreteProblem problem(advection(all + "[boundary.x0]\nouter = { u = 1 }\n"));
  const Mesh &mesh = problem.mesh;
  std::map<std::string, int> condition; // by group
  for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f) {
    const int facet_class = mesh.facets[f].facet_class;
    condition[mesh.facet_classes[facet_class].groups.at(0)] =
        problem.d.condition_of_class[facet_class];
  }
  EXPECT_EQ(condition.size(), 4u);
  for (const auto &[group, index] : condition)
    EXPECT_EQ(problem.c.form.boundaries[index].group, group == "x0" ? "x0" : "all") << group;
}

TEST(law_discretisation, periodic_facets_need_no_condition) {
  const DiscreteProblem closed(advection("", box(", periodic = [\"x\", \"y\"]")));
  for (const int condition : closed.d.condition_of_class)
    EXPECT_EQ(condition, -1);
  expect_parts(message_of(advection("", box(", periodic = [\"x\"]"))), {"3 in y0", "3 in y1"});
  expect_parts(message_of(advection(all + "[boundary.x0]\nouter = { u = 1 }\n",
                                    box(", periodic = [\"x\"]"))),
               {"inside the mesh", "x0", "periodic"});
}

TEST(law_discretisation, facets_without_a_condition_are_counted) {
  expect_parts(message_of(advection("[boundary.x1]\nouter = { u = 0 }\n")),
               {"without a condition", "2 in x0", "3 in y0", "3 in y1", "[boundary.all]"});
}

TEST(law_discretisation, unknown_groups_and_parameters_without_values) {
  expect_parts(message_of(advection(all + "[boundary.x9]\nouter = { u = 0 }\n")), {"x9", "x0"});
  const std::string by_group =
      "[parameters]\ng = { x0 = 1 }\n[boundary.x0]\nouter = { u = \"g\" }\n";
  // A value is needed only where the condition is.
  const DiscreteProblem problem(advection(by_group + all));
  expect_parts(message_of(advection(by_group + "[boundary.all]\nouter = { u = \"g\" }\n")),
               {"`g` has no value"});
}

// A polynomial of the element's order is kept to rounding, whatever is asked of it.
TEST(law_discretisation, polynomials_are_exact_in_all_quantities) {
  const DiscreteProblem problem(advection(all + R"toml(
[initial]
u = "1 + x + x*y"
[exact]
u = "1 + x + x*y"
[functionals]
mass = { integral = "u" }
out = { integral = "u", facets = "x1" }
top = { maximum = "u" }
middle = { point = [0.5, 0.5], value = "u" }
slope = { point = [0.5, 0.5], value = "grad(u)" }
)toml"));
  const Discretisation &d = problem.d;
  const std::vector<double> state = initial_state(problem.c, d);
  const std::map<std::string, std::vector<double>> expected = {
      {"mass", {1.75}}, {"out", {2.5}}, {"top", {3}}, {"middle", {1.75}}, {"slope", {1.5, 0.5}}};
  for (const FunctionalValue &value : functionals(problem.c, d, state)) {
    ASSERT_EQ(value.values.size(), expected.at(value.name).size());
    for (std::size_t k = 0; k < value.values.size(); ++k)
      EXPECT_NEAR(value.values[k], expected.at(value.name)[k], 1e-12) << value.name;
  }
  EXPECT_LT(errors(problem.c, d, state)[0].h1, 1e-12);
  EXPECT_NEAR(probe(d, state, {0.25, 0.75})[0], 1.4375, 1e-12);
  const std::vector<OutputField> fields = output_fields(problem.c, d, state);
  EXPECT_TRUE(fields[0].discontinuous);
  EXPECT_EQ(fields[0].values, state);
}

// A jump along facets: cells on either side of it are constant.
TEST(law_discretisation, initial_values_jump_between_cells) {
  const DiscreteProblem problem(advection(all +
                                          "[initial]\nu = \"where(x < 1/3, 2, where(x <= 2/3, 5, "
                                          "9))\"\n"));
  const std::vector<double> state = initial_state(problem.c, problem.d);
  std::map<double, int> cells; // by value
  for (std::size_t c = 0; c < 12; ++c) {
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_EQ(state[6 * c + i], state[6 * c]) << c;
    ++cells[state[6 * c]];
  }
  EXPECT_EQ(cells, (std::map<double, int>{{2, 4}, {5, 4}, {9, 4}}));
}

TEST(law_discretisation, faults_of_a_state_have_a_place) {
  const DiscreteProblem problem(R"toml([mesh]
box = { cells = [2, 1], cell = "quadrilateral" }
[fields]
h = { element = "DG1" }
m = { element = "DG1", shape = "vector" }
[conservation_law]
flux.h = "m"
flux.m = "h*identity"
wave_speed = "sqrt(h)"
[boundary.all]
outer = { h = "h", m = "m" }
[time]
end = 1
cfl = 0.5
)toml");
  std::vector<double> state(problem.d.num_owned, 1.0);
  state[3] = -7; // of cell 0
  EXPECT_EQ(describe_fault(problem.d, state),
            "the wave speed is nan in the cell at " + inverse_permutation(problem, 0));
  state[3] = 7;
  EXPECT_EQ(describe_fault(problem.d, state),
            "h is 7 in the cell at " + inverse_permutation(problem, 0));
  state[8 + 2 * 5 + 1] = -std::nan("");
  EXPECT_EQ(describe_fault(problem.d, state),
            "m[1] is nan in the cell at " + inverse_permutation(problem, 1));
}

// Cells with values of their own: what is asked for between them is their mean.
TEST(law_discretisation, values_between_cells_are_means) {
  const DiscreteProblem problem(advection(
      all + "[functionals]\nmiddle = { point = [0.3333333333333333, 0.25], value = \"u\" }\n"));
  const Discretisation &d = problem.d;
  std::vector<double> state(d.num_owned);
  for (std::size_t i = 0; i < state.size(); ++i)
    state[i] = static_cast<double>(i / 6); // the cell's number
  const double value = functionals(problem.c, d, state)[0].values[0];
  EXPECT_NEAR(probe(d, state, {1.0 / 3, 0.25})[0], value, 1e-12);
  double lowest = 1e9, highest = -1;
  for (std::size_t c = 0; c < state.size() / 6; ++c) {
    bool touches = false;
    const auto &x = d.map_of_field(0).coordinates;
    for (std::size_t i = 0; i < 6; ++i)
      touches = touches || (std::abs(x[2 * (6 * c + i)] - 1.0 / 3) < 1e-9 &&
                            std::abs(x[2 * (6 * c + i) + 1] - 0.25) < 1e-9);
    if (touches) {
      lowest = std::min(lowest, static_cast<double>(c));
      highest = std::max(highest, static_cast<double>(c));
    }
  }
  EXPECT_NEAR(value, (lowest + highest) / 2, 1e-9);
  EXPECT_LT(lowest, highest);
}
