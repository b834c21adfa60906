// Every strategy, geometry source and precision of the generated kernels against the reference
// loops, on every cell type.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>


#include "base/error.h"
#include "op/form_operator.h"
#include "op/reference/reference.h"
#include "unit/op/problem.h"

namespace weft {
namespace {

Device &test_device() {
  static const std::unique_ptr<Device> device = open_device("opencl");
  return *device;
}

// Smooth, different for each dof, positive.
std::vector<double> wavy(std::int64_t size, double phase) {
  std::vector<double> values(size);
  for (std::int64_t i = 0; i < size; ++i)
    values[i] = 1.5 + std::sin(0.7 * static_cast<double>(i) + phase);
  return values;
}

// Largest difference relative to the largest reference value.
double difference(const std::vector<double> &found, const std::vector<double> &reference) {
  double largest = 0, scale = 1e-300;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    scale = std::max(scale, std::abs(reference[i]));
    largest = std::isfinite(found[i]) ? std::max(largest, std::abs(found[i] - reference[i]))
                                      : INFINITY;
  }
  return largest / scale;
}

struct Choice {
  Strategy strategy = Strategy::block;
  GeometrySource geometry = GeometrySource::on_the_fly;
  Precision precision = Precision::f64;
  std::optional<int> lanes;
  std::optional<int> leaves;
};

std::string name_of(const Choice &choice) {
  return to_string(choice.strategy) + " " + to_string(choice.geometry) + " " +
         to_string(choice.precision) + " lanes " + std::to_string(choice.lanes.value_or(0)) +
         " leaves " + std::to_string(choice.leaves.value_or(0));
}

// Residual, apply and diagonal of all choices against the reference loops.
void expect_reference(const Discretisation &d, const std::vector<Choice> &choices) {
  const std::vector<double> u = wavy(d.num_dofs, 0.3), x = wavy(d.num_dofs, 1.1);
  const std::vector<double> residual = reference::residual(d, u);
  const std::vector<double> applied = reference::apply(d, u, x);
  const std::vector<double> diagonal = reference::diagonal(d, u);
  Device &device = test_device();
  for (const Choice &choice : choices) {
    SCOPED_TRACE(name_of(choice));
    OperatorSettings settings;
    settings.strategy = choice.strategy;
    settings.geometry = choice.geometry;
    settings.precision = choice.precision;
    settings.lanes = choice.lanes;
    settings.leaves_per_block = choice.leaves;
    FormOperator op(device, d, settings);
    Vector state = make_vector(device, d.num_dofs, choice.precision, "state");
    Vector direction = make_vector(device, d.num_dofs, choice.precision, "direction");
    Vector result = make_vector(device, d.num_dofs, choice.precision, "result");
    set_vector(device, state, u);
    set_vector(device, direction, x);
    const double tolerance = choice.precision == Precision::f64 ? 1e-12 : 2e-4;
    op.residual(state, result);
    EXPECT_LT(difference(get_vector(device, result), residual), tolerance) << "residual";
    op.linearise(state);
    op.apply(direction, result);
    EXPECT_LT(difference(get_vector(device, result), applied), tolerance) << "apply";
    EXPECT_EQ(get_vector(device, direction).size(), x.size());
    op.diagonal(result);
    EXPECT_LT(difference(get_vector(device, result), diagonal), tolerance) << "diagonal";
  }
}

std::vector<Choice> all_choices() {
  std::vector<Choice> choices;
  for (const Strategy strategy : {Strategy::transposed, Strategy::cell, Strategy::block})
    for (const GeometrySource geometry : {GeometrySource::on_the_fly, GeometrySource::stored})
      for (const Precision precision : {Precision::f64, Precision::f32})
        choices.push_back({strategy, geometry, precision, {}, {}});
  return choices;
}

// Strategies that serve every element; thread transposition is for low orders.
std::vector<Choice> covering_choices() {
  return {{Strategy::cell, GeometrySource::on_the_fly, Precision::f64, 4, {}},
          {Strategy::cell, GeometrySource::stored, Precision::f32, 1, {}},
          {Strategy::block, GeometrySource::stored, Precision::f64, 8, {}},
          {Strategy::block, GeometrySource::on_the_fly, Precision::f32, {}, {}}};
}

const char *non_linear_form = R"TOML(
[parameters]
k = "1 + x*y"
[fields]
u = { element = "ELEMENT" }
[auxiliary]
a = { element = "P1", value = "1 + x" }
b = { element = "DG0", value = "2 - y" }
[weak_form]
cells.all = "(k + a*u^2)*inner(grad(u), grad(test(u))) + b*u*test(u) + cell_size*test(u)"
facets.x1 = "(u - 2)*u*test(u) + dot(n, grad(u))*test(u)"
facets.y0 = "-3*x*test(u)"
[dirichlet]
x0 = { u = "1 + y" }
)TOML";

std::string with_element(std::string text, const std::string &element) {
  return text.replace(text.find("ELEMENT"), 7, element);
}

class OnCell : public testing::TestWithParam<const char *> {};

TEST_P(OnCell, NonLinearFormOfLowOrderInEveryStrategy) {
  const Problem problem(box_text(GetParam()) + with_element(non_linear_form, "P1"), {}, 2);
  expect_reference(problem.d, all_choices());
}

TEST_P(OnCell, NonLinearFormOfOrderTwoOnCurvedCells) {
  const Problem problem(box_text(GetParam(), 2) + with_element(non_linear_form, "P2"), bend);
  expect_reference(problem.d, covering_choices());
}

TEST_P(OnCell, HighestOrderOnStraightCells) {
  const std::string element = "P" + std::to_string(highest_order(GetParam()));
  const Problem problem(box_text(GetParam(), 1, 0.2, "[1, 2, 1]") +
                        with_element(non_linear_form, element));
  expect_reference(problem.d,
                   {{Strategy::cell, GeometrySource::on_the_fly, Precision::f64, {}, {}},
                    {Strategy::block, GeometrySource::on_the_fly, Precision::f64, {}, {}}});
}

TEST_P(OnCell, ElasticityInEveryStrategy) {
  const std::string fixed = is_flat(GetParam()) ? "[0, 1]" : "[0, 1, 2]";
  const Problem problem(box_text(GetParam()) + R"TOML(
[parameters]
mu = 0.7
lam = 1.3
[fields]
u = { element = "P1", shape = "vector" }
[weak_form]
cells.all = "2*mu*inner(sym(grad(u)), sym(grad(test(u)))) + lam*div(u)*div(test(u))"
facets.x1 = "2*dot(n, test(u))"
[dirichlet]
x0 = { "u[0]" = 0.5 }
y0 = { u = )TOML" + fixed + " }\n");
  expect_reference(problem.d, all_choices());
}

INSTANTIATE_TEST_SUITE_P(FormOperator, OnCell, testing::ValuesIn(all_cells),
                         [](const auto &info) { return std::string(info.param); });

TEST(FormOperator, AwkwardSizes) {
  for (const char *cells : {"[1, 1]", "[31, 1]", "[199, 3]"}) {
    const Problem problem(std::string("[mesh]\nbox = { cells = ") + cells +
                          ", cell = \"quadrilateral\" }\n" +
                          with_element(non_linear_form, "P1"));
    expect_reference(problem.d, all_choices());
  }
}

TEST(FormOperator, ParametersByRegionAndManyBlocks) {
  // 6000 cells: several leaves, merged in different ways.
  const Problem problem("[mesh]\nbox = { cells = [10, 10, 10], cell = \"tetrahedron\", distort = "
                        "0.2 }\n[parameters]\nk = { box = 3.0 }\n[fields]\nu = { element = \"P2\" "
                        "}\n[weak_form]\ncells.box = \"k*inner(grad(u), grad(test(u)))\"\n");
  std::vector<Choice> choices;
  for (const int leaves : {1, 2, 8, 64})
    choices.push_back({Strategy::block, GeometrySource::on_the_fly, Precision::f64, {}, leaves});
  expect_reference(problem.d, choices);
}

TEST(FormOperator, GivesTheSameBitsEveryTime) {
  const Problem problem("[mesh]\nbox = { cells = [12, 12, 12], cell = \"tetrahedron\" }\n" +
                        with_element(non_linear_form, "P1"));
  Device &device = test_device();
  for (const Strategy strategy : {Strategy::transposed, Strategy::cell, Strategy::block}) {
    OperatorSettings settings;
    settings.strategy = strategy;
    FormOperator op(device, problem.d, settings);
    Vector u = make_vector(device, op.size(), Precision::f64, "u");
    Vector r = make_vector(device, op.size(), Precision::f64, "r");
    set_vector(device, u, wavy(op.size(), 0));
    op.residual(u, r);
    const std::vector<double> first = get_vector(device, r);
    for (int i = 0; i < 5; ++i) {
      op.residual(u, r);
      EXPECT_EQ(get_vector(device, r), first);
    }
  }
}

TEST(FormOperator, ApplyLeavesItsArgumentAsItWas) {
  const Problem problem(box_text("triangle") + with_element(non_linear_form, "P1"));
  Device &device = test_device();
  FormOperator op(device, problem.d, {});
  Vector u = make_vector(device, op.size(), Precision::f64, "u");
  Vector y = make_vector(device, op.size(), Precision::f64, "y");
  set_vector(device, u, wavy(op.size(), 0));
  op.linearise(u);
  Vector x = make_vector(device, op.size(), Precision::f64, "x");
  set_vector(device, x, wavy(op.size(), 2));
  op.apply(x, y);
  EXPECT_EQ(get_vector(device, x), wavy(op.size(), 2));
}

TEST(FormOperator, TransposedSaysWhatItNeedsWhenTheElementIsTooLarge) {
  const Problem problem(box_text("hexahedron", 1, 0, "[1, 1, 1]") +
                        with_element(non_linear_form, "P4"));
  OperatorSettings settings;
  settings.strategy = Strategy::transposed;
  FormOperator op(test_device(), problem.d, settings);
  try {
    op.launches(IntegralKind::residual);
    FAIL() << "no device has work-groups that large";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_NE(std::string(error.what()).find("work-items"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("block"), std::string::npos);
  }
}

} // namespace
} // namespace weft
