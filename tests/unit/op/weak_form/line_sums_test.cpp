// Sums by lines and by planes (kernel/cell/direction_sums.h) against the reference loops.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/error.h"
#include "op/reference/reference.h"
#include "op/weak_form/form_operator.h"
#include "support/difference.h"
#include "support/discrete_problem.h"
#include "support/test_device.h"

namespace weft {
namespace {

std::vector<double> waves(std::int64_t size, double phase) {
  std::vector<double> values(size);
  for (std::int64_t i = 0; i < size; ++i)
    values[i] = 1.5 + std::sin(0.7 * static_cast<double>(i) + phase);
  return values;
}

OperatorSettings by_lines(Strategy strategy = Strategy::block) {
  OperatorSettings settings;
  settings.strategy = strategy;
  settings.sums = Summation::lines;
  return settings;
}

OperatorSettings by_planes(int lanes = 1) {
  OperatorSettings settings;
  settings.sums = Summation::planes;
  settings.lanes = lanes;
  settings.groups_per_item = 2;
  return settings;
}

// Residual, product and diagonal.
void expect_reference_by_lines(const Discretisation &d, const OperatorSettings &settings) {
  Device &device = test_device();
  FormOperator op(device, d, settings);
  const bool planes = settings.sums == Summation::planes;
  for (const IntegralLaunch &launch : op.launches(IntegralKind::residual))
    EXPECT_NE(launch.source.text.find(!planes            ? "weft_lines_open"
                                      : launch.on_facets ? "weft_test_add"
                                                         : "weft_planes_forward"),
              std::string::npos)
        << launch.source.name << " " << launch.variant;
  const std::vector<double> u = waves(d.num_owned, 0.3), x = waves(d.num_owned, 1.1);
  Vector state = make_vector(device, d.num_owned, op.precision(), "state");
  Vector direction = make_vector(device, d.num_owned, op.precision(), "direction");
  Vector result = make_vector(device, d.num_owned, op.precision(), "result");
  set_vector(device, state, u);
  set_vector(device, direction, x);
  const double tolerance = op.precision() == Precision::f64 ? 3e-12 : 5e-4;
  op.residual(state, result);
  EXPECT_LT(difference(get_vector(device, result), reference::residual(d, u)), tolerance)
      << "residual";
  op.linearise(state);
  op.apply(direction, result);
  EXPECT_LT(difference(get_vector(device, result), reference::apply(d, u, x)), tolerance)
      << "apply";
  op.diagonal(result);
  EXPECT_LT(difference(get_vector(device, result), reference::diagonal(d, u)), tolerance)
      << "diagonal";
}

std::string flat_box(const std::string &cells, const std::string &more = "") {
  return "[mesh]\nbox = { cells = " + cells + ", cell = \"quadrilateral\", distort = 0.2 }\n" +
         more;
}

std::string solid_box(const std::string &cells, const std::string &more = "") {
  return "[mesh]\nbox = { cells = " + cells + ", cell = \"hexahedron\", distort = 0.2 }\n" + more;
}

// Values and gradients of a field and of auxiliary ones, one value a cell, places.
std::string reaction_diffusion(const std::string &element) {
  return R"TOML(
[parameters]
k = "1 + x*y"
[fields]
u = { element = ")TOML" +
         element + R"TOML(" }
[auxiliary]
a = { element = "P1", value = "1 + x" }
b = { element = "DG0", value = "2 - y" }
c = { element = "P2", value = "x^2 + y" }
[weak_form]
cells.all = "(k + a*u^2)*inner(grad(u), grad(test(u))) + b*u*test(u) + cell_size*test(u) + dot(grad(c), grad(test(u)))"
[dirichlet]
x0 = { u = "1 + y" }
)TOML";
}

std::string stiff(const std::string &element) {
  return R"TOML(
[fields]
u = { element = ")TOML" +
         element + R"TOML(", shape = "vector" }
[weak_form]
cells.all = "1.4*inner(sym(grad(u)), sym(grad(test(u)))) + 1.3*div(u)*div(test(u))"
)TOML";
}

// Terms on all sides of a box with values, normal derivatives of the field and of the test
// function, places, normals and an auxiliary field, each with a factor of its own.
std::string terms_on_sides(const std::string &element, bool flat) {
  std::string text = "[fields]\nu = { element = \"" + element +
                     "\" }\n[auxiliary]\na = { element = \"P1\", value = \"1 + x*y\" }\n"
                     "[weak_form]\ncells.all = \"inner(grad(u), grad(test(u)))\"\n";
  int factor = 1;
  for (const std::string side : {"x0", "x1", "y0", "y1", "z0", "z1"})
    if (!flat || side[0] != 'z')
      text +=
          "facets." + side + " = \"" + std::to_string(factor++) +
          "*(a*u^2*test(u) - dot(grad(u), n)*test(u) - u*dot(grad(test(u)), n)"
          " + dot(grad(u), n)*dot(grad(test(u)), n) + (x + n[0] + dot(grad(a), n))*test(u))\"\n";
  return text;
}

constexpr const char *several_fields = R"TOML(
[fields]
u = { element = "P3", shape = "vector" }
p = { element = "P2" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - p*div(test(u)) + div(u)*test(p) + u[0]*p*test(p)"
)TOML";

TEST(LineSums, NonLinearFormInSquares) {
  for (const int order : {1, 2, 5, 8})
    expect_reference_by_lines(
        DiscreteProblem(flat_box("[5, 3]") + reaction_diffusion("P" + std::to_string(order))).d,
        by_lines());
}

TEST(LineSums, NonLinearFormInCubes) {
  for (const int order : {1, 3, 4})
    expect_reference_by_lines(
        DiscreteProblem(solid_box("[3, 2, 2]") + reaction_diffusion("P" + std::to_string(order))).d,
        by_lines());
}

void expect_highest_order_in_cubes(const OperatorSettings &settings) {
  expect_reference_by_lines(DiscreteProblem(solid_box("[1, 1, 1]") +
                                                "[fields]\nu = { element = \"P8\" }\n"
                                                "[weak_form]\ncells.all = \"(1 + x)*inner(grad(u), "
                                                "grad(test(u))) + u*test(u)\"\n",
                                            {}, 17)
                                .d,
                            settings);
}

TEST(LineSums, HighestOrderInCubes) {
  expect_highest_order_in_cubes(by_lines());
}

TEST(LongLineSums, VectorsInOtherStrategiesLanesAndPrecision) {
  for (const bool flat : {true, false}) {
    const DiscreteProblem problem((flat ? flat_box("[9, 5]") : solid_box("[3, 3, 3]")) +
                                  stiff("P2"));
    expect_reference_by_lines(problem.d, by_lines(Strategy::cell));
    OperatorSettings settings = by_lines();
    settings.lanes = 1;
    settings.block_groups = true;
    expect_reference_by_lines(problem.d, settings);
    settings = by_lines();
    settings.precision = Precision::f32;
    expect_reference_by_lines(problem.d, settings);
    settings = by_lines();
    settings.lanes = 2;
    settings.geometry = GeometrySource::stored;
    expect_reference_by_lines(problem.d, settings);
  }
}

TEST(LineSums, CurvedCells) {
  for (const GeometrySource geometry : {GeometrySource::on_the_fly, GeometrySource::stored}) {
    OperatorSettings settings = by_lines();
    settings.geometry = geometry;
    expect_reference_by_lines(
        DiscreteProblem(flat_box("[4, 3]", "order = 2\n") + reaction_diffusion("P3")).d, settings);
    expect_reference_by_lines(
        DiscreteProblem(solid_box("[2, 2, 2]", "order = 2\n") + reaction_diffusion("P2")).d,
        settings);
  }
}

TEST(LineSums, TermsOnFacets) {
  const auto expect = [](const std::string &box, const std::string &order, bool flat) {
    expect_reference_by_lines(DiscreteProblem(box + terms_on_sides(order, flat)).d, by_lines());
  };
  expect(flat_box("[3, 2]"), "P2", true);
  expect(flat_box("[3, 2]", "order = 2\n"), "P5", true);
  expect(solid_box("[1, 2, 1]"), "P1", false);
  expect(solid_box("[1, 2, 1]", "order = 2\n"), "P3", false);
}

// Points that are nodes (orders 2 and 5) and that are not (order 3).
TEST(LineSums, GaussLobattoPoints) {
  const std::string asked = "quadrature = \"gauss_lobatto\"\n";
  for (const std::string order : {"P2", "P3"}) {
    const DiscreteProblem problem(flat_box("[3, 2]") + terms_on_sides(order, true) + asked);
    ASSERT_EQ(problem.d.line_points, LinePoints::gauss_lobatto);
    expect_reference_by_lines(problem.d, by_lines());
  }
  expect_reference_by_lines(
      DiscreteProblem(solid_box("[1, 2, 1]") + terms_on_sides("P5", false) + asked).d, by_lines());
  OperatorSettings by_points;
  by_points.sums = Summation::points;
  const DiscreteProblem problem(solid_box("[2, 1, 1]") + terms_on_sides("P2", false) + asked);
  FormOperator op(test_device(), problem.d, by_points);
  Vector state = make_vector(test_device(), op.size(), op.precision(), "state");
  Vector result = make_vector(test_device(), op.size(), op.precision(), "result");
  const std::vector<double> u = waves(problem.d.num_owned, 0.3);
  set_vector(test_device(), state, u);
  op.residual(state, result);
  EXPECT_LT(difference(get_vector(test_device(), result), reference::residual(problem.d, u)),
            3e-12);
}

// Spectral elements have diagonal mass matrices.
TEST(LineSums, MassAtNodesIsDiagonal) {
  const DiscreteProblem problem(flat_box("[3, 2]") +
                                "[fields]\nu = { element = \"P6\" }\n[weak_form]\ncells.all = "
                                "\"(1 + x)*u*test(u)\"\nquadrature = \"gauss_lobatto\"\n");
  FormOperator op(test_device(), problem.d, by_lines());
  Vector x = make_vector(test_device(), op.size(), op.precision(), "x");
  Vector y = make_vector(test_device(), op.size(), op.precision(), "y");
  const std::vector<double> values = waves(problem.d.num_owned, 1.1);
  set_vector(test_device(), x, values);
  op.linearise(x);
  op.apply(x, y);
  const std::vector<double> product = get_vector(test_device(), y);
  op.diagonal(y);
  std::vector<double> expected = get_vector(test_device(), y);
  for (std::size_t i = 0; i < values.size(); ++i)
    expected[i] *= values[i];
  EXPECT_LT(difference(product, expected), 1e-13);
}

TEST(LineSums, FieldsOfDifferentOrders) {
  expect_reference_by_lines(DiscreteProblem(flat_box("[4, 3]") + several_fields).d, by_lines());
  expect_reference_by_lines(DiscreteProblem(solid_box("[2, 2, 2]") + several_fields).d, by_lines());
}

TEST(PlaneSums, NonLinearFormInSquares) {
  for (const int order : {1, 2, 5, 8})
    expect_reference_by_lines(
        DiscreteProblem(flat_box("[5, 3]") + reaction_diffusion("P" + std::to_string(order))).d,
        by_planes());
}

TEST(PlaneSums, NonLinearFormInCubes) {
  for (const int order : {1, 2, 3, 4})
    expect_reference_by_lines(
        DiscreteProblem(solid_box("[3, 2, 2]") + reaction_diffusion("P" + std::to_string(order))).d,
        by_planes());
}

TEST(PlaneSums, HighestOrderInCubes) {
  expect_highest_order_in_cubes(by_planes());
}

TEST(PlaneSums, VectorsInLanesAndPrecisionAndStoredGeometry) {
  for (const bool flat : {true, false}) {
    const DiscreteProblem problem((flat ? flat_box("[9, 5]") : solid_box("[3, 3, 3]")) +
                                  stiff("P2"));
    expect_reference_by_lines(problem.d, by_planes(4));
    OperatorSettings settings = by_planes();
    settings.precision = Precision::f32;
    expect_reference_by_lines(problem.d, settings);
    settings = by_planes();
    settings.geometry = GeometrySource::stored;
    expect_reference_by_lines(problem.d, settings);
  }
}

TEST(PlaneSums, CurvedCells) {
  expect_reference_by_lines(
      DiscreteProblem(flat_box("[4, 3]", "order = 2\n") + reaction_diffusion("P3")).d, by_planes());
  expect_reference_by_lines(
      DiscreteProblem(solid_box("[2, 2, 2]", "order = 2\n") + reaction_diffusion("P2")).d,
      by_planes(2));
}

TEST(PlaneSums, FieldsOfDifferentOrders) {
  expect_reference_by_lines(DiscreteProblem(flat_box("[4, 3]") + several_fields).d, by_planes());
  expect_reference_by_lines(DiscreteProblem(solid_box("[2, 2, 2]") + several_fields).d,
                            by_planes());
}

// Facets beside them by points; points that are nodes (orders 2 and 5) and that are not (order 3).
TEST(PlaneSums, BesideFacetsAtGaussLobattoPoints) {
  const std::string asked = "quadrature = \"gauss_lobatto\"\n";
  for (const std::string order : {"P2", "P3"})
    expect_reference_by_lines(
        DiscreteProblem(flat_box("[3, 2]") + terms_on_sides(order, true) + asked).d, by_planes());
  expect_reference_by_lines(
      DiscreteProblem(solid_box("[1, 2, 1]") + terms_on_sides("P5", false) + asked).d, by_planes());
}

TEST(PlaneSums, AreOfStrategyCell) {
  const DiscreteProblem problem(flat_box("[2, 2]") + stiff("P2"));
  EXPECT_EQ(FormOperator(test_device(), problem.d, by_planes()).strategy(), Strategy::cell);
  OperatorSettings settings = by_planes();
  settings.strategy = Strategy::block;
  EXPECT_THROW(FormOperator(test_device(), problem.d, settings), Error);
}

TEST(LineSums, AreChosenWhereThereAreManyPoints) {
  const auto sums_of = [](const std::string &element) {
    const DiscreteProblem problem(solid_box("[2, 2, 2]") + stiff(element));
    FormOperator op(test_device(), problem.d, {});
    return *op.settings().sums;
  };
  EXPECT_EQ(sums_of("P1"), Summation::points);
  EXPECT_EQ(sums_of("P2"), Summation::lines);
}

} // namespace
} // namespace weft
