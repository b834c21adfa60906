// Kernels of discontinuous Galerkin methods on the device WEFT_TEST_DEVICE (default opencl) against
// the reference: a set that covers all pairs of choices, with WEFT_TEST_ALL many more.
#include <gtest/gtest.h>

#include "device/dg_case.h"
#include "device/test_device.h"

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

} // namespace
} // namespace weft
