// Values over the mesh of fields on nodal elements: what weak forms use works on them, up to order
// 9.
#include <gtest/gtest.h>

#include <cmath>

#include "op/evaluate/field_values.h"
#include "support/discrete_problem.h"

using namespace weft;

namespace {

constexpr const char *nodal_cells[] = {"triangle", "quadrilateral", "tetrahedron", "prism",
                                       "hexahedron"};

std::string law_text(const std::string &cell, int order) {
  const std::string velocity = is_flat(cell) ? "[1, 2]" : "[1, 2, 0]";
  return box_text(cell, 1, 0, "[2, 1, 1]") + "[fields]\nu = { element = \"DG" +
         std::to_string(order) + "\" }\n[conservation_law]\nflux.u = \"u*" + velocity + R"toml("
wave_speed = "3"
[boundary.all]
outer = { u = 0 }
[time]
end = 1
cfl = 0.5
)toml";
}

} // namespace

TEST(nodal_values, functionals_errors_and_probes) {
  for (const std::string cell : nodal_cells)
    for (const int order : {3, 9}) {
      const std::string p = std::to_string(order);
      const DiscreteProblem problem(law_text(cell, order) + "[initial]\nu = \"x^" + p +
                                    " + y\"\n[exact]\nu = \"x^" + p + " + y\"\n" + R"toml(
[functionals]
total = { integral = "u*x" }
mean = { average = "u", facets = "x1" }
top = { maximum = "u" }
low = { minimum = "u", facets = "x1" }
slope = { integral = "grad(u)[0]" }
)toml");
      const auto state = initial_state(problem.c, problem.d);
      ASSERT_EQ(static_cast<std::int64_t>(state.size()), problem.d.num_owned);
      std::map<std::string, double> value;
      for (const auto &entry : functionals(problem.c, problem.d, state))
        value[entry.name] = entry.values.at(0);
      EXPECT_NEAR(value["total"], 1.0 / (order + 2) + 0.25, 1e-12) << cell << order;
      EXPECT_NEAR(value["mean"], 1.5, 1e-12) << cell << order;
      EXPECT_NEAR(value["top"], 2, 1e-12) << cell << order;
      EXPECT_NEAR(value["low"], 1, 1e-12) << cell << order;
      EXPECT_NEAR(value["slope"], 1, 1e-11) << cell << order;
      EXPECT_LT(errors(problem.c, problem.d, state).at(0).h1, 1e-10) << cell << order;
      const std::vector<double> point =
          is_flat(cell) ? std::vector{0.7, 0.3} : std::vector{0.7, 0.3, 0.6};
      EXPECT_NEAR(probe(problem.d, state, point).at(0), std::pow(0.7, order) + 0.3, 1e-12)
          << cell << order;
    }
}

TEST(nodal_values, outputs_lie_at_the_nodes_of_each_cell) {
  for (const std::string cell : nodal_cells)
    for (const int order : {0, 6}) {
      const DiscreteProblem problem(
          law_text(cell, order) +
          "[initial]\nu = \"x\"\n[output]\nfields = [\"u\", \"2*u\", \"x\"]\n");
      const NodeMap &map = problem.d.map_of_field(0);
      const auto state = initial_state(problem.c, problem.d);
      const auto fields = output_fields(problem.c, problem.d, state);
      ASSERT_EQ(fields.size(), 3u);
      for (std::size_t f = 0; f < 2; ++f) {
        EXPECT_TRUE(fields[f].discontinuous && fields[f].nodal) << cell << order;
        EXPECT_EQ(fields[f].order, order);
        ASSERT_EQ(fields[f].values.size(), state.size());
        for (std::size_t i = 0; i < state.size(); ++i)
          ASSERT_NEAR(fields[f].values[i], (f + 1.0) * map.coordinates[i * problem.mesh.dim],
                      1e-14);
      }
      // What is not known to be constant in a cell has a value at each of its vertices at least.
      EXPECT_TRUE(fields[2].nodal);
      EXPECT_EQ(fields[2].order, std::max(1, order));
    }
}
