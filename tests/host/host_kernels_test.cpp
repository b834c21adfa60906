// Generated kernels as plain C++ with work-items as fibres: under the sanitizers against the
// reference loops.
#include <gtest/gtest.h>

#include "device/host/host_device.h"
#include "support/kernel_case.h"

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
  const DiscreteProblem problem(problem_text(c, "[1, 2, 1]"), deformation(c), quadrature_degree(c));
  const auto device = open_host_device({.sanitize = sanitizers_run(), .reverse = true});
  expect_reference(*device, problem.d, c.settings(true), c.kind_value());
}

INSTANTIATE_TEST_SUITE_P(Cells, HostKernels, testing::ValuesIn(host_cases()),
                         [](const auto &info) { return info.param.name(); });

TEST(HostKernels, ByPlanesAgreeWithTheReferenceUnderTheSanitizers) {
  for (const std::string cell : {"quadrilateral", "hexahedron"}) {
    const DiscreteProblem problem(box_text(cell, 2, 0.2, "[1, 2, 1]") +
                                  form_text("two_fields", "P2", is_flat(cell)));
    const auto device = open_host_device({.sanitize = sanitizers_run(), .reverse = true});
    OperatorSettings settings;
    settings.sums = Summation::planes;
    settings.lanes = 1;
    expect_reference(*device, problem.d, settings, IntegralKind::linearised);
  }
}

// The tests above mean little without them.
TEST(HostKernels, SanitizersRun) {
#ifdef __clang__
  GTEST_SKIP() << "clang links its sanitizers into programs: configure with -DWEFT_SANITIZE=ON";
#endif
  EXPECT_TRUE(sanitizers_run());
}

} // namespace
} // namespace weft
