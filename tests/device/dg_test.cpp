// Kernels of discontinuous Galerkin methods on the device WEFT_TEST_DEVICE (default opencl) against
// the reference: a set that covers all pairs of choices, with WEFT_TEST_ALL many more.
#include <gtest/gtest.h>

#include "support/dg_case.h"
#include "support/test_device.h"

namespace weft {
namespace {

class DgKernels : public testing::TestWithParam<DgCase> {};

TEST_P(DgKernels, AgreeWithTheReference) {
  const DgCase c = GetParam();
  const DgProblem p(c);
  expect_dg_reference(test_device(), p.problem.d, c.settings(test_device().info().is_cpu),
                      c.stage_update());
}

INSTANTIATE_TEST_SUITE_P(Pairs, DgKernels, testing::ValuesIn(tested_dg_cases()),
                         [](const auto &info) { return info.param.name(); });
INSTANTIATE_TEST_SUITE_P(Mixed, DgKernels, testing::ValuesIn(mixed_dg_cases()),
                         [](const auto &info) { return info.param.name(); });
INSTANTIATE_TEST_SUITE_P(HighOrders, DgKernels, testing::ValuesIn(high_order_dg_cases()),
                         [](const auto &info) { return info.param.name(); });

// Groups of lanes with and without cells, some work-items without groups.
TEST(DgSizes, OneCellAndRemaindersOfLanes) {
  const DgCase c{{1, 1, 2, 3, 0, 2, 2, 3, 4}};
  for (const char *cells : {"[1, 1]", "[31, 1]", "[97, 1]"}) {
    SCOPED_TRACE(cells);
    const DgProblem p(c, cells);
    expect_dg_reference(test_device(), p.problem.d, c.settings(test_device().info().is_cpu),
                        c.stage_update());
  }
}

// What is open is chosen for the device.
TEST(DgSettings, MayBeOpen) {
  const DgCase c{{2, 0, 3, 2, 0, 0, 0, 0, 2}};
  const DgProblem p(c);
  expect_dg_reference(test_device(), p.problem.d, {}, c.stage_update());
}

// Schemes write a stage over the state at the start of the step, which is read there for the last
// time.
TEST(DgStages, MayWriteOverTheStart) {
  const DgCase c{{0, 2, 2, 2, 0, 1, 3, 0, 3}};
  const DgProblem p(c);
  Device &device = test_device();
  LawRates op(device, p.problem.d, c.settings(device.info().is_cpu));
  const DgStageResult expected = run_dg_stage(device, op, p.problem.d, c.stage_update());
  Vector q = make_vector(device, op.size(), op.precision(), "state");
  Vector start = make_vector(device, op.size(), op.precision(), "start");
  op.set_state(dg_state(p.problem.d, 0.3), q);
  op.set_state(dg_state(p.problem.d, 1.1), start);
  op.stage(dg_time, dg_step, c.stage_update(), q, &start, nullptr, start);
  EXPECT_EQ(op.state(start), expected.out);
}

TEST(DgStages, GiveTheSameBitsEveryTime) {
  const DgCase c{{4, 1, 3, 3, 1, 2, 3, 0, 4}};
  const DgProblem p(c);
  Device &device = test_device();
  LawRates op(device, p.problem.d, c.settings(device.info().is_cpu));
  const DgStageResult first = run_dg_stage(device, op, p.problem.d, c.stage_update());
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(run_dg_stage(device, op, p.problem.d, c.stage_update()).out, first.out);
}

} // namespace
} // namespace weft
