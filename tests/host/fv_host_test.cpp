// Kernels of finite volumes as plain C++: under the sanitizers against the reference, and their
// costs against what is counted.
#include <gtest/gtest.h>

#include "device/host/host_device.h"
#include "support/expect_counted.h"
#include "support/fv_case.h"

namespace weft {
namespace {

std::vector<FvCase> host_fv_cases() {
  return {{{{0, 1, 0, 3, 0, 1, 0, 2, 2}}, "diffusion = \"corrected\"\n"},
          {{{1, 0, 0, 2, 0, 1, 0, 0, 4}}, "limiter = \"barth_jespersen\"\n"},
          {{{2, 1, 0, 0, 1, 0, 0, 1, 3}}, "limiter = \"venkatakrishnan\"\n"},
          {{{3, 1, 0, 0, 0, 1, 0, 1, 0}}, "diffusion = \"corrected\"\n", true},
          {{{4, 0, 0, 0, 0, 1, 0, 0, 1}}, "diffusion = \"two_point\"\n", true}};
}

class FvHostKernels : public testing::TestWithParam<FvCase> {};

TEST_P(FvHostKernels, AgreeWithTheReferenceUnderTheSanitizers) {
  const FvCase c = GetParam();
  const FvProblem p(c, c.of.dim() == 2 ? "[3, 3]" : "[2, 2, 1]");
  const auto device = open_host_device({.sanitize = sanitizers_run(), .reverse = true});
  expect_dg_reference(*device, p.problem.d, c.settings(true), c.of.stage_update());
  LawRates op(*device, p.problem.d, c.settings(true));
  Vector q = make_vector(*device, op.size(), op.precision(), "state");
  op.set_state(dg_state(p.problem.d), q);
  EXPECT_GT(op.unit_step(dg_time, q), 0);
}

TEST_P(FvHostKernels, CostWhatIsCounted) {
  const FvCase c = GetParam();
  const FvProblem p(c, c.of.dim() == 2 ? "[3, 3]" : "[2, 2, 1]");
  const auto device = open_host_device({.count = true});
  LawRates op(*device, p.problem.d, c.settings(true));
  Vector q = make_vector(*device, op.size(), op.precision(), "state");
  op.set_state(dg_state(p.problem.d), q);
  take_counted_costs(*device);
  op.unit_step(dg_time, q);
  expect_counted(take_counted_costs(*device), by_name(op.costs_of(DgStage::step, {})));
  run_dg_stage(*device, op, p.problem.d, c.of.stage_update());
  expect_counted(take_counted_costs(*device), by_name(op.costs(c.of.stage_update())));
}

INSTANTIATE_TEST_SUITE_P(Cells, FvHostKernels, testing::ValuesIn(host_fv_cases()),
                         [](const auto &info) { return info.param.name(); });

} // namespace
} // namespace weft
