#include "solve/preconditioner.h"

#include "solve/precond_chebyshev.h"
#include "solve/precond_hypre.h"
#include "solve/precond_low_precision.h"
#include "solve/precond_multigrid.h"

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

void PrecondWithSetup::update(LinearOperator &op) {
  kept_ = reuse_ && made_;
  if (kept_)
    return;
  made_ = false; // while set_up() may fail
  set_up(op);
  made_ = true;
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
  case PrecondKind::multigrid:
    return std::make_unique<PrecondMultigrid>(
        kernels,
        settings.make_multigrid
            ? settings.make_multigrid
            : aggregation_multigrid(settings.multigrid, settings.near_null_space),
        settings.reuse_multigrid);
  case PrecondKind::low_precision:
    return std::make_unique<PrecondLowPrecision>(kernels, settings.inner,
                                                 settings.near_null_space.components);
  }
  return nullptr;
}

} // namespace weft
