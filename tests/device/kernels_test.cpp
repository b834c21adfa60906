// Generated kernels on the device WEFT_TEST_DEVICE (default opencl) against the reference loops: a
// set that covers all pairs of choices, with WEFT_TEST_ALL every combination.
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/kernel_case.h"
#include "support/mixed_mesh.h"
#include "support/test_device.h"

namespace weft {
namespace {

int test_lanes() {
  return test_device().info().is_cpu ? 4 : 1;
}

class Kernels : public testing::TestWithParam<KernelCase> {};

TEST_P(Kernels, AgreeWithTheReference) {
  const KernelCase c = GetParam();
  const DiscreteProblem problem(problem_text(c), deformation(c), quadrature_degree(c));
  try {
    expect_reference(test_device(), problem.d, c.settings(test_device().info().is_cpu),
                     c.kind_value());
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::unsupported)
      throw;
    GTEST_SKIP() << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, Kernels, testing::ValuesIn(tested_kernel_cases()),
                         [](const auto &info) { return info.param.name(); });

INSTANTIATE_TEST_SUITE_P(Mass, Kernels, testing::ValuesIn(mass_cases()),
                         [](const auto &info) { return info.param.name(); });

INSTANTIATE_TEST_SUITE_P(ConstantGradients, Kernels, testing::ValuesIn(constant_gradient_cases()),
                         [](const auto &info) { return info.param.name(); });

// Strategies on a discretisation, P1 elements.
void expect_reference_in_every_strategy(const Discretisation &d) {
  for (const Strategy strategy : {Strategy::transposed, Strategy::cell, Strategy::block}) {
    SCOPED_TRACE(to_string(strategy));
    OperatorSettings settings;
    settings.strategy = strategy;
    settings.lanes = test_lanes();
    expect_reference(test_device(), d, settings, IntegralKind::residual);
  }
}

std::string quadrilaterals(const std::string &cells) {
  return "[mesh]\nbox = { cells = " + cells + ", cell = \"quadrilateral\" }\n";
}

// The kernels of all sizes are the same, so that only the first compiles any.
TEST(KernelSizes, OneCellAndRemaindersOfLanesAndBatches) {
  for (const char *cells : {"[1, 1]", "[31, 1]", "[199, 3]"}) {
    SCOPED_TRACE(cells);
    const DiscreteProblem problem(quadrilaterals(cells) + form_text("nonlinear", "P1", true), {},
                                  2);
    expect_reference_in_every_strategy(problem.d);
  }
}

TEST(KernelSizes, ManyBlocksMergedInDifferentWays) {
  const DiscreteProblem problem(
      "[mesh]\nbox = { cells = [10, 10, 10], cell = \"tetrahedron\", distort = "
      "0.2 }\n[parameters]\nk = { box = 3.0 }\n[fields]\nu = { element = \"P1\" "
      "}\n[weak_form]\ncells.box = \"k*inner(grad(u), grad(test(u)))\"\n");
  for (const int leaves : {1, 2, 8, 64}) {
    SCOPED_TRACE(leaves);
    OperatorSettings settings;
    settings.strategy = Strategy::block;
    settings.leaves_per_block = leaves;
    expect_reference(test_device(), problem.d, settings, IntegralKind::residual);
  }
}

TEST(MixedMesh, TrianglesAndQuadrilaterals) {
  const CaseFolder folder;
  const std::string file = folder.write("mixed.msh", mixed_mesh_text(21));
  const DiscreteProblem problem(
      "[mesh]\nfile = \"" + file + "\"\n" + form_text("nonlinear", "P1", true), {}, 2);
  ASSERT_EQ(problem.mesh.sets.size(), 2u);
  expect_reference_in_every_strategy(problem.d);
}

TEST(Determinism, TheSameBitsEveryTime) {
  const DiscreteProblem problem(quadrilaterals("[199, 3]") + form_text("nonlinear", "P1", true), {},
                                2);
  for (const Strategy strategy : {Strategy::transposed, Strategy::cell, Strategy::block}) {
    SCOPED_TRACE(to_string(strategy));
    OperatorSettings settings;
    settings.strategy = strategy;
    settings.lanes = test_lanes();
    FormOperator op(test_device(), problem.d, settings);
    const std::vector<double> first = result_of(test_device(), op, IntegralKind::residual);
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(result_of(test_device(), op, IntegralKind::residual), first);
  }
}

TEST(Apply, LeavesItsArgumentAsItWas) {
  const DiscreteProblem problem(box_text("triangle") + form_text("nonlinear", "P1", true));
  Device &device = test_device();
  FormOperator op(device, problem.d, {});
  Vector u = make_vector(device, op.size(), Precision::f64, "u");
  Vector x = make_vector(device, op.size(), Precision::f64, "x");
  Vector y = make_vector(device, op.size(), Precision::f64, "y");
  set_vector(device, u, wavy(op.size(), 0));
  set_vector(device, x, wavy(op.size(), 2));
  op.linearise(u);
  op.apply(x, y);
  EXPECT_EQ(get_vector(device, x), wavy(op.size(), 2));
}

TEST(Transposed, SaysWhatItNeedsWhenTheElementIsTooLarge) {
  const DiscreteProblem problem(box_text("hexahedron", 1, 0, "[1, 1, 1]") +
                                form_text("nonlinear", "P4", false));
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

// What is done twice adds twice, or is not used; nothing is left out by a compiler's eye unseen.
TEST(Ablations, DoTheWorkOfTheirTermTwice) {
  const bool cpu = test_device().info().is_cpu;
  const DiscreteProblem problem(box_text("tetrahedron") + form_text("two_fields", "P1", false));
  const std::vector<double> reference = reference_of(problem.d, IntegralKind::residual);
  for (const auto &[ablation, factor] :
       {std::pair{Ablation::gather, 1.0}, {Ablation::scatter, 2.0}, {Ablation::arithmetic, 2.0}}) {
    SCOPED_TRACE(to_string(ablation));
    if (ablation == Ablation::scatter && !cpu)
      continue; // work-groups sum by lists
    OperatorSettings settings;
    settings.strategy = cpu ? Strategy::block : Strategy::cell;
    settings.lanes = test_lanes();
    settings.ablation = ablation;
    FormOperator op(test_device(), problem.d, settings);
    std::vector<double> expected = reference;
    for (double &value : expected)
      value *= factor;
    EXPECT_LT(difference(result_of(test_device(), op, IntegralKind::residual), expected), 1e-12);
  }
}

TEST(Ablations, OfMemoryDoTheFirstBlocksOnly) {
  const DiscreteProblem problem(box_text("tetrahedron") + form_text("two_fields", "P1", false));
  OperatorSettings settings;
  settings.lanes = test_lanes();
  settings.ablation = Ablation::memory;
  FormOperator op(test_device(), problem.d, settings);
  for (const double value : result_of(test_device(), op, IntegralKind::residual))
    EXPECT_TRUE(std::isfinite(value));
}

} // namespace
} // namespace weft
