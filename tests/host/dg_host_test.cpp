// Kernels of discontinuous Galerkin methods as plain C++, under the sanitizers, against the
// reference.
#include <gtest/gtest.h>

#include "device/dg_case.h"
#include "device/host_device.h"

namespace weft {
namespace {

// Each cell type and law; precisions, ways and updates in turn. Axes as in DgCase.
std::vector<DgCase> host_cases() {
  return {{{0, 0, 2, 2, 0, 0, 3, 0, 2}}, {{1, 1, 1, 3, 1, 0, 1, 1, 0}},
          {{2, 0, 1, 1, 0, 1, 2, 2, 4}}, {{3, 1, 1, 0, 1, 0, 4, 3, 1}},
          {{4, 2, 1, 2, 0, 0, 0, 0, 3}}, {{5, 1, 2, 1, 0, 1, 3, 1, 2}},
          {{6, 1, 1, 3, 0, 0, 2, 0, 2}}, {{0, 1, 0, 0, 0, 1, 0, 2, 3}}};
}

class DgHostKernels : public testing::TestWithParam<DgCase> {};

TEST_P(DgHostKernels, AgreeWithTheReferenceUnderTheSanitizers) {
  const DgCase c = GetParam();
  const DgProblem p(c, c.dim() == 2 ? "[2, 3]" : "[2, 1, 1]");
  const auto device = open_host_device({.sanitize = sanitizers_run(), .reverse = true});
  expect_dg_reference(*device, p.problem.d, c.settings(true), c.stage_update());
}

INSTANTIATE_TEST_SUITE_P(Cells, DgHostKernels, testing::ValuesIn(host_cases()),
                         [](const auto &info) { return info.param.name(); });

TEST(DgHostKernels, OfTheLongestStepUnderTheSanitizers) {
  const DgCase c{{4, 1, 1, 3, 0, 1, 0, 2, 0}};
  const DgProblem p(c, "[2, 1, 1]");
  const auto device = open_host_device({.sanitize = sanitizers_run()});
  DgOperator op(*device, p.problem.d, c.settings(true));
  Vector q = make_vector(*device, op.size(), op.precision(), "state");
  op.set_state(dg_state(p.problem.d), q);
  EXPECT_GT(op.unit_step(dg_time, q), 0);
}

} // namespace
} // namespace weft
