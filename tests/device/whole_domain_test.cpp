// Fields of the whole domain on the device WEFT_TEST_DEVICE, whose node all cells share, against
// the reference loops: residual, product, diagonal, matrix.
#include <gtest/gtest.h>

#include "support/device_operators.h"
#include "support/mixed_mesh.h"

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

void expect_operators(const Discretisation &d) {
  for (const Strategy strategy : {Strategy::block, Strategy::cell})
    expect_kinds(d, device_settings(strategy));
  expect_reference(test_device(), d, device_settings(Strategy::block, Precision::f32),
                   IntegralKind::linearised);
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
  expect_matrix(problem.d, {.format = MatrixFormat::sell, .blocks = true, .leaves_per_block = 1});
  expect_matrix(problem.d, {.format = MatrixFormat::csr, .blocks = false});
}

} // namespace
} // namespace weft
