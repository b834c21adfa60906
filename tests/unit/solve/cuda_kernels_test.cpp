// Every kernel as CUDA text, compiled for the GPU's architecture: no GPU is needed for that.
#include <gtest/gtest.h>

#include "base/embedded.h"
#include "base/error.h"
#include "device/build_only_device.h"
#include "device/kernel_case.h"
#include "device/nvrtc.h"
#include "solve/vector_kernels.h"

namespace weft {
namespace {

// Says it is a CUDA device, compiles what it is given and runs nothing.
class CompileOnlyDevice : public BuildOnlyDevice {
public:
  CompileOnlyDevice() : BuildOnlyDevice(gpu_info()) {}
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

class CudaKernels : public testing::Test {
protected:
  void SetUp() override {
    if (!nvrtc_available())
      GTEST_SKIP() << "NVRTC (libnvrtc.so) is not installed here";
  }
};

// Cells, strategies and precisions in turn; axes as in KernelCase. Facets, sums and constraints
// come with them.
TEST_F(CudaKernels, OfFormsCompile) {
  const std::vector<KernelCase> cases = {
      {{0, 0, 0, 0, 0, 0, 0, 0}}, {{1, 1, 0, 1, 1, 1, 0, 1}}, {{2, 0, 1, 2, 0, 1, 0, 0}},
      {{3, 0, 1, 0, 1, 0, 0, 2}}, {{4, 1, 2, 2, 0, 0, 0, 1}}, {{5, 0, 0, 2, 1, 0, 0, 1}},
      {{2, 1, 1, 1, 0, 0, 0, 1}}, {{2, 0, 0, 2, 0, 0, 0, 0}}, {{5, 0, 3, 1, 1, 0, 0, 0}}};
  for (const KernelCase &c : cases) {
    SCOPED_TRACE(c.name());
    const Problem problem(problem_text(c, "[1, 1, 1]"), deformation(c), quadrature_degree(c));
    CompileOnlyDevice device;
    FormOperator op(device, problem.d, c.settings(false));
    EXPECT_FALSE(op.launches(c.kind_value()).empty());
    EXPECT_GE(device.binaries(), 2);
  }
}

TEST_F(CudaKernels, OfVectorsCompile) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    CompileOnlyDevice device;
    const VectorKernels kernels(device, precision, 1000, 52,
                                {"cg", "bicgstab", "gmres", "jacobi", "chebyshev"});
    EXPECT_EQ(device.binaries(), 1);
  }
}

TEST_F(CudaKernels, OfTheMachineProbeCompile) {
  for (const Precision precision : {Precision::f64, Precision::f32})
    EXPECT_FALSE(compile_cuda_text(program_head("cuda", precision, 1) + "#define WEFT_CHAINS 8\n" +
                                   embedded_text("kernels/machine/stream.kernel"))
                     .empty());
}

} // namespace
} // namespace weft
