// Integrals along curves and loads at points on the device against the reference loops.
#include <gtest/gtest.h>

#include "base/error.h"
#include "op/assembly/assembled_operator.h"
#include "op/reference/matrix.h"
#include "support/kernel_case.h"
#include "support/test_device.h"

namespace weft {
namespace {

// Two curves that share an edge's end, one of which runs through the cells; two points, one of them
// on a curve. A non-linear spring, parameters by curve, a field beside the other.
std::string parts_text(const std::string &cell, int order) {
  const bool flat = is_flat(cell);
  std::string text = box_text(cell, cell == "tetrahedron" ? 1 : 2, 0, "[3, 2, 2]");
  text += flat ? "groups.tip = { point = [1, 1] }\n"
                 "groups.middle = { point = [0.3333333333, 0.5] }\n"
               : "groups.tip = { point = [1, 1, 1] }\n"
                 "groups.middle = { point = [0.3333333333, 0.5, 0.5] }\n"
                 "groups.rail = { edges = \"y < 1e-9 and z > 1 - 1e-9\" }\n"
                 "groups.beam = { edges = \"x > 1 - 1e-9 and abs(z - 0.5) < 1e-9\" }\n";
  text += "[parameters]\nc = { tip = 2.5, middle = \"1 + x\"" +
          std::string(flat ? "" : ", rail = 0.7, beam = 3.5") + " }\n";
  text += "[fields]\nu = { element = \"P" + std::to_string(order) +
          "\", shape = \"vector\" }\np = { element = \"P1\" }\n[weak_form]\n" +
          R"TOML(cells.all = "dot(u, test(u)) + p*test(p)"
facets.x1 = "(u[0] - p)*test(p)"
points.tip = "c*u[1]^2*test(u[1]) - 3*test(u[0])"
points.middle = "c*dot(u, test(u)) + x*y*u[0]*test(p)"
)TOML";
  if (!flat)
    text += R"TOML(edges.rail = "(c + x)*dot(u, test(u)) + u[2]^3*test(u[2])"
edges.beam = "c*(p - u[0])*test(p) - y*test(u[1])"
)TOML";
  return text + "[dirichlet]\nx0 = { \"u[0]\" = 1 }\n";
}

class NamedParts : public testing::TestWithParam<std::pair<const char *, int>> {
public:
  Vector uploaded(const std::vector<double> &values, Precision precision) {
    Vector v = make_vector(*device, static_cast<std::int64_t>(values.size()), precision, "test");
    set_vector(*device, v, values);
    return v;
  }

  void expect_agreement(FormOperator &op, const Discretisation &d, double tolerance) {
    const std::vector<double> u = wavy(d.num_owned, 0.3), x = wavy(d.num_owned, 1.1);
    const Vector state = uploaded(u, op.precision()), direction = uploaded(x, op.precision());
    Vector y = make_vector(*device, op.size(), op.precision(), "y");
    op.residual(state, y);
    EXPECT_LT(difference(get_vector(*device, y), reference::residual(d, u)), tolerance);
    op.linearise(state);
    op.apply(direction, y);
    EXPECT_LT(difference(get_vector(*device, y), reference::apply(d, u, x)), tolerance);
    op.diagonal(y);
    EXPECT_LT(difference(get_vector(*device, y), reference::diagonal(d, u)), tolerance);
  }

  std::unique_ptr<Device> device = open_test_device();
};

TEST_P(NamedParts, AgreeWithTheReference) {
  const auto &[cell, order] = GetParam();
  const DiscreteProblem problem(parts_text(cell, order), bend);
  const Discretisation &d = problem.d;
  ASSERT_EQ(d.integrated_points.classes.size(), 2u);
  ASSERT_EQ(d.integrated_edges.classes.size(), is_flat(cell) ? 0u : 2u);
  OperatorSettings settings;
  settings.lanes = device->info().is_cpu ? 4 : 1;
  FormOperator op(*device, d, settings);
  expect_agreement(op, d, 1e-12);
  if (cell == std::string("prism") || (order > 1 && !is_flat(cell)))
    return; // matrices of the other cells are enough
  AssembledOperator assembled(*device, d, settings, {});
  expect_agreement(assembled, d, 1e-12);
  const HostMatrix found = assembled.matrix()->host();
  EXPECT_LT(difference(found.values, reference::matrix(d, wavy(d.num_owned, 0.3)).values), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Cells, NamedParts,
                         testing::Values(std::pair("triangle", 2), std::pair("tetrahedron", 1),
                                         std::pair("tetrahedron", 2), std::pair("prism", 1),
                                         std::pair("hexahedron", 1)));

TEST_F(NamedParts, InSinglePrecision) {
  const DiscreteProblem problem(parts_text("tetrahedron", 1), bend);
  OperatorSettings settings;
  settings.precision = Precision::f32;
  settings.strategy = Strategy::cell;
  FormOperator op(*device, problem.d, settings);
  expect_agreement(op, problem.d, 2e-4);
}

// What no cell sums begins at zero.
TEST_F(NamedParts, WithoutCells) {
  const DiscreteProblem problem("[mesh]\nbox = { cells = [2, 2, 2], cell = \"tetrahedron\" }\n"
                                "groups.rail = { edges = \"x < 1e-9 and y < 1e-9\" }\n"
                                "[fields]\nu = { element = \"P2\" }\n"
                                "[weak_form]\nedges.rail = \"u*test(u)\"\n");
  FormOperator op(*device, problem.d, {});
  expect_agreement(op, problem.d, 1e-12);
}

} // namespace
} // namespace weft
