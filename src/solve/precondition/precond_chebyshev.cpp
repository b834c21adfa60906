#include "solve/precondition/precond_chebyshev.h"

#include "solve/krylov/chebyshev.h"
#include "solve/krylov/largest_eigenvalue.h"

namespace weft {

PrecondChebyshev::PrecondChebyshev(VectorKernels &kernels, int degree, double fraction)
    : kernels_(kernels), jacobi_(kernels), degree_(degree), fraction_(fraction) {}

void PrecondChebyshev::update(LinearOperator &op) {
  op_ = &op;
  jacobi_.update(op);
  largest_ = estimate_largest_eigenvalue(op, kernels_, jacobi_);
  if (!w_.buffer)
    w_ = kernels_.vector("Chebyshev correction");
}

const Vector &PrecondChebyshev::apply(const Vector &r, Vector &z, Vector &scratch) {
  // A further term, per dof: z w r q d read, z w written, 56 bytes and 6 flops in f64, beside A z.
  for (const SmootherStep &step :
       chebyshev_steps(fraction_ * largest_, eigenvalue_safety * largest_, degree_)) {
    if (step.reads_w)
      op_->apply(z, scratch);
    kernels_.over_vector("chebyshev_step",
                         {z.buffer, w_.buffer, r.buffer, scratch.buffer,
                          jacobi_.inverse_diagonal()->buffer, kernels_.real(step.c1),
                          kernels_.real(step.c2), std::int32_t(step.reads_w ? 0 : 1)});
  }
  return z;
}

} // namespace weft
