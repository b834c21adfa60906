// Every kernel as CUDA text, compiled for the GPU's architecture: no GPU is needed for that.
#include <gtest/gtest.h>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "linalg/vector_kernels.h"
#include "support/cuda_compiler.h"
#include "support/kernel_case.h"

namespace weft {
namespace {

class CudaKernels : public testing::Test {
protected:
  void SetUp() override { need_nvrtc(); }
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
    const DiscreteProblem problem(problem_text(c, "[1, 1, 1]"), deformation(c),
                                  quadrature_degree(c));
    CudaCompiler device;
    FormOperator op(device, problem.d, c.settings(false));
    EXPECT_FALSE(op.launches(c.kind_value()).empty());
    EXPECT_GE(device.binaries(), 2);
  }
}

TEST_F(CudaKernels, OfVectorsCompile) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    CudaCompiler device;
    const VectorKernels kernels(device, precision, 1000, 52,
                                {"cg", "bicgstab", "gmres", "defect", "jacobi", "chebyshev"});
    EXPECT_EQ(device.binaries(), 1);
    for (const std::string low : {"f64", "f32"})
      kernels.mixed_program("scaled", "#define WEFT_LOW " + low + "\n#define WEFT_SCALE f64\n");
    EXPECT_EQ(device.binaries(), 3);
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
