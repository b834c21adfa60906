#include "solve/preconditioner.h"

#include "solve/precond_chebyshev.h"
#include "solve/precond_hypre.h"

namespace weft {

void PrecondJacobi::update(LinearOperator &op) {
  if (!inverse_.buffer)
    inverse_ = kernels_.vector("inverse diagonal");
  op.diagonal(inverse_);
  kernels_.invert(inverse_);
}

const Vector &PrecondJacobi::apply(const Vector &r, Vector &z, Vector &) {
  kernels_.scale(z, inverse_, r);
  return z;
}

std::unique_ptr<Preconditioner> make_preconditioner(VectorKernels &kernels,
                                                    const SolverSettings &settings) {
  switch (settings.preconditioner) {
  case PrecondKind::none:
    return std::make_unique<PrecondNone>();
  case PrecondKind::jacobi:
    return std::make_unique<PrecondJacobi>(kernels);
  case PrecondKind::chebyshev:
    return std::make_unique<PrecondChebyshev>(kernels, settings.chebyshev_degree);
  case PrecondKind::hypre:
    return std::make_unique<PrecondHypre>(kernels, settings.hypre);
  }
  return nullptr;
}

} // namespace weft
