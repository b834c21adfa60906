// Fields of the whole domain on the device WEFT_TEST_DEVICE, whose node all cells share, against
// the reference loops: residual, product, diagonal, matrix.
#include <gtest/gtest.h>

#include "op/assembly/assembled_operator.h"
#include "op/reference/matrix.h"
#include "support/kernel_case.h"
#include "support/mixed_mesh.h"
#include "support/test_device.h"

namespace weft {
namespace {

// A scalar and a vector of the whole domain, declared before what varies: in cells, on facets on
// the boundary and between cells, with rates; not linear and not symmetric.
std::string form_of_whole_domain(const std::string &element, bool interior) {
  return R"TOML([time]
start = 0.4
end = 1
step = 0.1
[fields]
p = { element = "R" }
q = { element = "R", shape = 2 }
)TOML" + ("u = { element = \"" + element + "\" }\n") +
         R"TOML([weak_form]
cells.all = "(1 + p^2)*dot(grad(u), grad(test(u))) + p*u*test(u) + dot(q, [x, y])*test(u) + (u^2 - q[0])*test(p) + dt(p)*test(p) + dot([x*u, dt(q[1])*q[0]], test(q))"
facets.x1 = "(u - p)*u*(test(u) - test(p)) + q[1]*test(u)"
)TOML" +
         (interior ? "interior.all = \"p*jump(u)*jump(test(u)) + avg(u)*test(p) + "
                     "jump(grad(u)[0])*q[0]*test(q)[1]\"\n"
                   : "") +
         "[dirichlet]\nx0 = { u = \"1 + y\" }\n";
}

OperatorSettings settings_of(Strategy strategy, Precision precision) {
  OperatorSettings settings;
  settings.strategy = strategy;
  settings.precision = precision;
  settings.lanes = test_device().info().is_cpu ? 4 : 1;
  return settings;
}

void expect_operators(const Discretisation &d) {
  for (const Strategy strategy : {Strategy::block, Strategy::cell})
    for (const IntegralKind kind :
         {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal})
      expect_reference(test_device(), d, settings_of(strategy, Precision::f64), kind);
  expect_reference(test_device(), d, settings_of(Strategy::block, Precision::f32),
                   IntegralKind::linearised);
}

void expect_matrices(const Discretisation &d) {
  const std::vector<double> u = wavy(d.num_owned, 0.3);
  const HostMatrix expected = reference::matrix(d, u);
  for (const AssemblySettings &assembly :
       {AssemblySettings{.format = MatrixFormat::sell, .blocks = true, .leaves_per_block = 1},
        AssemblySettings{.format = MatrixFormat::csr, .blocks = false}}) {
    AssembledOperator op(test_device(), d, settings_of(Strategy::block, Precision::f64), assembly);
    EXPECT_LT(difference(result_of(test_device(), op, IntegralKind::linearised),
                         reference_of(d, IntegralKind::linearised)),
              1e-12);
    op.assemble();
    EXPECT_LT(difference(op.matrix()->host().values, expected.values), 1e-12);
  }
}

class WholeDomain : public testing::TestWithParam<const char *> {};

TEST_P(WholeDomain, AgreesWithTheReference) {
  const std::string cell = GetParam();
  const DiscreteProblem problem(
      box_text(cell, 1, 0.2, "[3, 2, 2]") + form_of_whole_domain("P2", cell == "triangle"), {}, 4);
  const Discretisation &d = problem.d;
  ASSERT_EQ(d.form.fields.front().name, "u"); // the others border it
  EXPECT_EQ(d.num_owned, d.map_of_field(0).num_owned + 3);
  expect_operators(d);
}

INSTANTIATE_TEST_SUITE_P(Cells, WholeDomain,
                         testing::Values("triangle", "quadrilateral", "tetrahedron", "hexahedron"));

TEST(WholeDomainMatrices, AgreeWithTheReference) {
  const CaseFolder folder;
  const std::string file = folder.write("mixed.msh", mixed_mesh_text(21));
  const DiscreteProblem problem("[mesh]\nfile = \"" + file + "\"\n" + R"TOML(
[fields]
p = { element = "R" }
q = { element = "R", shape = 2 }
u = { element = "P1", shape = "vector" }
[weak_form]
cells.all = "(1 + p^2)*inner(grad(u), grad(test(u))) + p*dot(q, test(u)) + dot(u, q)*test(p) + dot(x*u, test(q))"
interior.all = "p*dot(jump(grad(u)[0]), jump(test(u))) + dot(avg(u), q)*test(p)"
)TOML");
  ASSERT_EQ(problem.mesh.sets.size(), 2u);
  expect_operators(problem.d);
  expect_matrices(problem.d);
}

} // namespace
} // namespace weft
