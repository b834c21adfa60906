// Kernels of element matrices against plain loops on the device WEFT_TEST_DEVICE (default opencl):
// a set that covers all pairs of choices, with WEFT_TEST_ALL every combination.
#include <cstdlib>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/matrix_case.h"
#include "support/test_device.h"

namespace weft {
namespace {

class ElementMatrixKernels : public testing::TestWithParam<MatrixCase> {};

TEST_P(ElementMatrixKernels, AgreeWithTheReference) {
  const MatrixCase c = GetParam();
  const DiscreteProblem problem(c.problem_text(), c.deformation(), c.quadrature_degree());
  try {
    expect_element_matrices(test_device(), problem.d, c);
  } catch (const Error &error) {
    // Of all combinations some ask for more local memory than there is, and GPUs have less.
    const bool may_be_short = std::getenv("WEFT_TEST_ALL") || !test_device().info().is_cpu;
    if (error.kind() != ErrorKind::unsupported || !may_be_short)
      throw;
    GTEST_SKIP() << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, ElementMatrixKernels, testing::ValuesIn(tested_matrix_cases()),
                         [](const auto &info) { return info.param.name(); });

} // namespace
} // namespace weft
