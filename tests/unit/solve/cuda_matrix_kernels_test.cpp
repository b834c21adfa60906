// Kernels of element matrices as CUDA text, compiled for the GPU's architecture: no GPU is needed
// for that.
#include <gtest/gtest.h>

#include "base/error.h"
#include "device/build_only_device.h"
#include "device/matrix_case.h"
#include "device/nvrtc.h"

namespace weft {
namespace {

// Says it is a CUDA device, compiles what it is given and runs nothing.
class CudaCompiler : public BuildOnlyDevice {
public:
  CudaCompiler() : BuildOnlyDevice(gpu_info()) {}
  Program build(const ProgramSource &source) override {
    binaries_ += compile_cuda(source, "sm_90").substr(1, 3) == "ELF" ? 1 : 0;
    return {};
  }
  int binaries() const { return binaries_; }

private:
  static DeviceInfo gpu_info() {
    DeviceInfo info;
    info.selector = info.name = info.identity = "sm_90";
    info.backend = "cuda";
    info.memory_bytes = info.max_allocation_bytes = std::uint64_t{1} << 37;
    info.local_memory_bytes = 48 << 10;
    info.max_work_group = 1024;
    info.compute_units = 132;
    return info;
  }
  int binaries_ = 0;
};

TEST(CudaMatrixKernels, OfTheCoveringSetCompile) {
  if (!nvrtc_available())
    GTEST_SKIP() << "NVRTC (libnvrtc.so) is not installed here";
  int compiled = 0;
  for (const MatrixCase &c : tested_matrix_cases()) {
    SCOPED_TRACE(c.name());
    const Problem problem(c.problem_text("[1, 1, 1]"), c.deformation(), c.quadrature_degree());
    CudaCompiler device;
    const FormIntegrals integrals(problem.d);
    try {
      const ElementMatrices matrices(device, integrals,
                                     with_choices(c.settings(false), integrals, device.info()), 0,
                                     c.variant(false), c.with_vector());
      EXPECT_EQ(device.binaries(), 1);
      ++compiled;
    } catch (const Error &error) { // for want of local memory
      ASSERT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
    }
  }
  EXPECT_GT(compiled, 30);
}

} // namespace
} // namespace weft
