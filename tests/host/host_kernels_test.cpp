// Generated kernels as plain C++ with work-items as fibres: under the sanitizers against the
// reference loops, and with reals that count what is done on them.
#include <gtest/gtest.h>

#include "device/host_device.h"
#include "device/kernel_case.h"

namespace weft {
namespace {

// Each cell type and strategy; precisions and kinds in turn. Axes as in KernelCase. More than one
// lane only once: the sanitizers make such texts slow to compile.
std::vector<KernelCase> host_cases() {
  return {{{0, 0, 1, 0, 0, 0, 1, 0}}, {{1, 1, 0, 1, 1, 1, 0, 1}}, {{2, 0, 1, 2, 0, 1, 0, 0}},
          {{3, 0, 1, 0, 1, 0, 0, 2}}, {{4, 1, 2, 2, 0, 0, 0, 1}}, {{5, 0, 0, 2, 1, 0, 0, 1}}};
}

class HostKernels : public testing::TestWithParam<KernelCase> {};

TEST_P(HostKernels, AgreeWithTheReferenceUnderTheSanitizers) {
  const KernelCase c = GetParam();
  const Problem problem(problem_text(c, "[1, 2, 1]"), deformation(c), quadrature_degree(c));
  const auto device = open_host_device({.sanitize = sanitizers_run(), .reverse = true});
  expect_reference(*device, problem.d, c.settings(true), c.kind_value());
}

INSTANTIATE_TEST_SUITE_P(Cells, HostKernels, testing::ValuesIn(host_cases()),
                         [](const auto &info) { return info.param.name(); });

// The tests above mean little without them.
TEST(HostKernels, SanitizersRun) {
#ifdef __clang__
  GTEST_SKIP() << "clang links its sanitizers into programs: configure with -DWEFT_SANITIZE=ON";
#endif
  EXPECT_TRUE(sanitizers_run());
}

struct Counted {
  std::string cell, element, form;
  GeometrySource geometry = GeometrySource::on_the_fly;
  IntegralKind kind = IntegralKind::residual;
};

class Operations : public testing::TestWithParam<Counted> {};

TEST_P(Operations, OfACellAreThoseOfTheClosedFormula) {
  const Counted c = GetParam();
  const std::string form =
      c.form == "poisson" ? "[fields]\nu = { element = \"" + c.element +
                                "\" }\n[weak_form]\ncells.all = \"inner(grad(u), grad(test(u))) - "
                                "x*test(u)\"\n"
                          : form_text(c.form, c.element, is_flat(c.cell));
  const Problem problem(box_text(c.cell) + form);
  const auto device = open_host_device({.sanitize = sanitizers_run(), .count = true});
  OperatorSettings settings;
  settings.strategy = Strategy::cell;
  settings.geometry = c.geometry;
  settings.lanes = 1;
  FormOperator op(*device, problem.d, settings);
  const IntegralLaunch &launch = op.launches(c.kind).front();
  ASSERT_EQ(launch.num_cells, problem.mesh.num_cells());
  result_of(*device, op, c.kind);
  EXPECT_EQ(take_counted_costs(*device)[launch.source.name].operations.flops(),
            launch.cost.operations.flops());
}

INSTANTIATE_TEST_SUITE_P(
    Forms, Operations,
    testing::Values(Counted{"tetrahedron", "P1", "poisson"},
                    Counted{"tetrahedron", "P2", "poisson", GeometrySource::stored},
                    Counted{"triangle", "P1", "elasticity"},
                    Counted{"tetrahedron", "P1", "elasticity", GeometrySource::on_the_fly,
                            IntegralKind::linearised},
                    Counted{"hexahedron", "P1", "poisson"},
                    Counted{"quadrilateral", "P1", "elasticity", GeometrySource::on_the_fly,
                            IntegralKind::diagonal}),
    [](const auto &info) {
      return info.param.cell + "_" + info.param.element + "_" + info.param.form + "_" +
             to_string(info.param.kind);
    });

} // namespace
} // namespace weft
