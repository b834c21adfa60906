// Kernels of element matrices as CUDA text, compiled for the GPU's architecture: no GPU is needed
// for that.
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "base/error.h"
#include "op/assembly/assembled_operator.h"
#include "support/cuda_compiler.h"
#include "support/matrix_case.h"

namespace weft {
namespace {

TEST(CudaMatrixKernels, OfTheCoveringSetCompile) {
  int compiled = 0;
  for (const MatrixCase &c : tested_matrix_cases()) {
    SCOPED_TRACE(c.name());
    const DiscreteProblem problem(c.problem_text("[1, 1, 1]"), c.deformation(),
                                  c.quadrature_degree());
    CudaCompiler device;
    const FormIntegrals integrals(problem.d);
    try {
      const ElementMatrices matrices(device, integrals,
                                     with_choices(c.settings(false), integrals, device.info()), 0,
                                     c.variant(false), c.with_vector());
      EXPECT_EQ(device.binaries(), 1);
      ++compiled;
    } catch (const Error &error) { // for want of local memory
      EXPECT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
    }
  }
  EXPECT_GT(compiled, 30);
}

// By way of memory, as on GPUs, with facets and prescribed values; and the products.
TEST(CudaMatrixKernels, OfAssemblyAndProductsCompile) {
  const KernelCase c{{2, 0, 0, 0, 0, 0, 0, 0}};
  const DiscreteProblem problem(problem_text(c, "[1, 1, 1]"), deformation(c), quadrature_degree(c));
  ASSERT_FALSE(problem.d.integrated_facets.empty());
  ASSERT_FALSE(problem.d.constraints.dofs.empty());
  for (const MatrixFormat format : {MatrixFormat::csr, MatrixFormat::sell}) {
    SCOPED_TRACE(to_string(format));
    CudaCompiler device;
    AssembledOperator op(device, problem.d, {}, {.format = format});
    op.linearise(make_vector(device, op.size(), op.precision(), "state"));
    std::set<std::string> kernels;
    for (const NamedCost &cost : op.costs(IntegralKind::matrix))
      kernels.insert(cost.name);
    // Matrices of cells and of facets, their sums, the identity of prescribed rows.
    EXPECT_GE(kernels.size(), 4u);
    EXPECT_GT(device.binaries(), static_cast<int>(kernels.size())); // and the product
  }
}

} // namespace
} // namespace weft
