// Fields that are in some regions only on the device, against the reference loops, and these
// against a mesh of the region alone.
#include <gtest/gtest.h>

#include "op/assembly/assembled_operator.h"
#include "op/problem/field_regions.h"
#include "op/reference/matrix.h"
#include "support/kernel_case.h"
#include "support/test_device.h"

namespace weft {
namespace {

// A scalar in one half, a vector in the other, one everywhere; terms of all of them, where they
// touch too; not linear, not symmetric.
std::string three_fields(const std::string &cell, const std::string &element) {
  return "[mesh]\nbox = { distort = 0.2, cell = \"" + cell +
         (is_flat(cell) ? "\", cells = [6, 5] }\n" : "\", cells = [4, 2, 2] }\n") +
         R"TOML(groups.a = { cells = "x < 0.6" }
groups.b = { cells = "x > 0.4" }
groups.rest = { cells = "x > 0.12" }
[fields]
)TOML" + "d = { element = \"" +
         element + "\", cells = \"a\" }\n" +
         R"TOML(v = { element = "P2", shape = "vector", cells = "rest" }
w = { element = "P1" }
[weak_form]
cells.all = "(1 + d^2)*dot(grad(d), grad(test(d))) + (w*d + 3)*test(d) + inner(grad(v), grad(test(v))) + (w + d*v[0] + sqrt(4 + w))*test(v)[1] + dot(grad(w), grad(test(w))) + (d - 2*v[1])*test(w)"
interior.all = "20*jump(d)*jump(test(d)) + (1 + d)*d*test(d) + d*minus(v)[0]*test(d)"
facets.all = "3*d*test(d) + dot(v, test(v)) - w*test(w)"
[dirichlet]
x0 = { w = 1 }
)TOML";
}

class FieldRegions
    : public testing::TestWithParam<std::tuple<const char *, const char *, Strategy>> {};

TEST_P(FieldRegions, AreThoseOfTheReference) {
  const auto &[cell, element, strategy] = GetParam();
  const DiscreteProblem problem(three_fields(cell, element));
  OperatorSettings settings;
  settings.strategy = strategy;
  settings.lanes = test_device().info().is_cpu ? 4 : 1;
  FormOperator op(test_device(), problem.d, settings);
  for (const IntegralKind kind :
       {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal})
    EXPECT_LT(difference(result_of(test_device(), op, kind), reference_of(problem.d, kind)), 1e-12);
  AssembledOperator assembled(test_device(), problem.d, settings);
  EXPECT_LT(difference(result_of(test_device(), assembled, IntegralKind::linearised),
                       reference_of(problem.d, IntegralKind::linearised)),
            1e-12);
}

INSTANTIATE_TEST_SUITE_P(Strategies, FieldRegions,
                         testing::Values(std::tuple{"triangle", "P2", Strategy::block},
                                         std::tuple{"quadrilateral", "DG1", Strategy::cell},
                                         std::tuple{"tetrahedron", "P1", Strategy::cell}));

// Rows and columns of dofs that are not there are those of the identity.
TEST(FieldsInRegions, AbsentDofsAreApart) {
  const DiscreteProblem problem(three_fields("triangle", "P2"));
  const Discretisation &d = problem.d;
  const std::vector<std::int32_t> absent = absent_dofs(d);
  EXPECT_FALSE(absent.empty());
  const std::vector<double> u = wavy(d.num_owned, 0.3), x = wavy(d.num_owned, 1.1);
  std::vector<double> moved = x;
  for (const std::int32_t dof : absent)
    moved[dof] += 1;
  const std::vector<double> before = reference::apply(d, u, x);
  std::vector<double> after = reference::apply(d, u, moved);
  for (const std::int32_t dof : absent) {
    EXPECT_EQ(before[dof], x[dof]);
    after[dof] -= 1;
  }
  EXPECT_LT(difference(after, before), 1e-14);
}

// A field in a half has the integrals of the half alone.
TEST(FieldsInRegions, ArePartsOfTheirOwn) {
  const std::string equations = R"TOML([weak_form]
cells.all = "(1 + x*y)*dot(grad(u), grad(test(u))) - (1 + u^2)*test(u)"
facets.all = "where(x < 0.99, u, 0)*test(u)"
)TOML";
  const DiscreteProblem alone("[mesh]\nbox = { cells = [4, 3], cell = \"triangle\" }\n"
                              "[fields]\nu = { element = \"P2\" }\n" +
                              equations);
  const DiscreteProblem part(
      "[mesh]\nbox = { size = [2, 1], cells = [8, 3], cell = \"triangle\" }\n"
      "groups.half = { cells = \"x < 1 + 1e-9\" }\n"
      "[fields]\nu = { element = \"P2\", cells = \"half\" }\n" +
      equations);
  // The same state by place, and sums that do not depend on the numbering.
  const auto sums_of = [](const Discretisation &d) {
    std::vector<double> u(d.num_owned);
    const NodeMap &map = d.map_of_field(0);
    for (std::int64_t node = 0; node < map.num_owned; ++node)
      u[node] = std::sin(3 * map.coordinates[2 * node] + 2 * map.coordinates[2 * node + 1]);
    for (const std::int32_t dof : absent_dofs(d))
      u[dof] = 0;
    const std::vector<double> r = reference::residual(d, u);
    std::vector<double> sums(3, 0.0);
    for (std::int64_t node = 0; node < map.num_owned; ++node) {
      sums[0] += r[node];
      sums[1] += r[node] * r[node];
      sums[2] += r[node] * map.coordinates[2 * node];
    }
    return sums;
  };
  EXPECT_LT(difference(sums_of(part.d), sums_of(alone.d)), 1e-13);
}

} // namespace
} // namespace weft
