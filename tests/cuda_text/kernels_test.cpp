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

// All pairs, or with WEFT_TEST_ALL everything, of a type of cell; GPUs have one lane.
std::vector<KernelCase> form_cases_of(int cell) {
  std::vector<KernelCase> cases = every_kernel_case(std::getenv("WEFT_TEST_ALL") ? 4 : 3);
  std::erase_if(cases, [](const KernelCase &c) { return c.value[KernelCase::lanes] != 0; });
  if (!std::getenv("WEFT_TEST_ALL"))
    cases = covering_pairs(cases);
  for (const auto &some : {mass_cases(), constant_gradient_cases()})
    cases.insert(cases.end(), some.begin(), some.end());
  std::erase_if(cases, [&](const KernelCase &c) { return c.value[KernelCase::cell] != cell; });
  return cases;
}

// Facets, sums and constraints come with them.
class CudaForms : public testing::TestWithParam<int> {};
TEST_P(CudaForms, Compile) {
  int compiled = 0;
  for (const KernelCase &c : form_cases_of(GetParam())) {
    SCOPED_TRACE(c.name());
    const DiscreteProblem problem(problem_text(c, "[1, 1, 1]"), deformation(c),
                                  quadrature_degree(c));
    CudaCompiler device;
    try {
      FormOperator op(device, problem.d, c.settings(false));
      EXPECT_FALSE(op.launches(c.kind_value()).empty());
      ++compiled;
    } catch (const Error &error) { // more points and rows than a work-group has threads
      EXPECT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
    }
  }
  EXPECT_GT(compiled, 3);
}
INSTANTIATE_TEST_SUITE_P(Cells, CudaForms, testing::Range(0, 6));

void expect_vectors_compile(const std::string &text, const OperatorSettings &settings) {
  const DiscreteProblem problem(text);
  CudaCompiler device;
  FormOperator op(device, problem.d, settings);
  EXPECT_EQ(op.settings().sums, settings.sums.value_or(Summation::planes));
  for (const IntegralKind kind :
       {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal})
    EXPECT_FALSE(op.launches(kind).empty());
}

constexpr auto tensor_cells = {"quadrilateral", "hexahedron"};

class CudaLines : public testing::TestWithParam<std::tuple<const char *, Strategy, Ablation>> {};
TEST_P(CudaLines, Compile) {
  const auto [cell, strategy, ablation] = GetParam();
  expect_vectors_compile(box_text(cell) + form_text("nonlinear", "P3", is_flat(cell)),
                         {.strategy = strategy, .sums = Summation::lines, .ablation = ablation});
}
INSTANTIATE_TEST_SUITE_P(Cells, CudaLines,
                         testing::Combine(testing::ValuesIn(tensor_cells),
                                          testing::Values(Strategy::cell, Strategy::block),
                                          testing::Values(Ablation::arithmetic, Ablation::none)));

class CudaPlanes
    : public testing::TestWithParam<std::tuple<const char *, const char *, Precision, Ablation>> {};
TEST_P(CudaPlanes, Compile) {
  const auto [cell, form, precision, ablation] = GetParam();
  expect_vectors_compile(box_text(cell) + form_text(form, "P3", is_flat(cell)),
                         {.precision = precision, .ablation = ablation});
}
const auto precisions = testing::Values(Precision::f64, Precision::f32);
INSTANTIATE_TEST_SUITE_P(Forms, CudaPlanes,
                         testing::Combine(testing::ValuesIn(tensor_cells),
                                          testing::Values("elasticity", "two_fields"), precisions,
                                          testing::Values(Ablation::none)));
INSTANTIATE_TEST_SUITE_P(Ablations, CudaPlanes,
                         testing::Combine(testing::ValuesIn(tensor_cells),
                                          testing::Values("nonlinear"), precisions,
                                          testing::Values(Ablation::none, Ablation::memory,
                                                          Ablation::gather, Ablation::arithmetic)));

TEST(CudaKernels, OfVectorsCompile) {
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

TEST(CudaKernels, OfTheMachineProbeCompile) {
  need_nvrtc();
  for (const Precision precision : {Precision::f64, Precision::f32})
    EXPECT_FALSE(compile_cuda_text(program_head("cuda", precision, 1) + "#define WEFT_CHAINS 8\n" +
                                   embedded_text("kernels/machine/stream.kernel"))
                     .empty());
}

} // namespace
} // namespace weft
