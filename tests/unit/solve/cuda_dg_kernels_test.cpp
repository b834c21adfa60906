// Kernels of discontinuous Galerkin methods as CUDA text, compiled for the GPU's architecture: no
// GPU is needed for that.
#include <gtest/gtest.h>

#include "device/cuda_compiler.h"
#include "device/dg_case.h"

namespace weft {
namespace {

// Laws, cells, precisions and updates in turn, all stages; axes as in DgCase.
TEST(CudaDgKernels, Compile) {
  if (!nvrtc_available())
    GTEST_SKIP() << "NVRTC (libnvrtc.so) is not installed here";
  const std::vector<DgCase> cases = {{{0, 0, 2, 2, 0, 0, 3, 0, 2}}, {{1, 1, 1, 3, 1, 0, 1, 1, 0}},
                                     {{2, 0, 3, 1, 0, 0, 2, 2, 4}}, {{3, 1, 1, 0, 1, 0, 4, 3, 1}},
                                     {{4, 2, 2, 2, 0, 0, 0, 0, 3}}, {{5, 1, 0, 1, 0, 0, 3, 1, 2}}};
  for (const DgCase &c : cases) {
    SCOPED_TRACE(c.name());
    const DgProblem p(c);
    CudaCompiler device;
    DgOperator op(device, p.problem.d, c.settings(false));
    const StageUpdate update = c.stage_update();
    Vector q = make_vector(device, op.size(), op.precision(), "state"), start = q, sum = q, out = q;
    op.stage(dg_time, dg_step, update, q, &start, &sum, out);
    const int stages = (p.problem.d.law->viscous ? 1 : 0) + (c.settings(false).fused ? 1 : 4);
    EXPECT_EQ(device.binaries(), stages * static_cast<int>(op.mesh().sets.size()));
  }
}

} // namespace
} // namespace weft
