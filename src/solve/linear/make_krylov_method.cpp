#include "solve/linear/make_krylov_method.h"

#include "solve/krylov/bicgstab.h"
#include "solve/krylov/cg.h"
#include "solve/krylov/gmres.h"
#include "solve/multigrid/defect_correction.h"

namespace weft {

std::unique_ptr<KrylovMethod> make_krylov_method(VectorKernels &kernels, KrylovKind kind,
                                                 const SolverSettings &settings) {
  switch (kind) {
  case KrylovKind::cg:
    return std::make_unique<CgMethod>(kernels);
  case KrylovKind::bicgstab:
    return std::make_unique<BicgstabMethod>(kernels);
  case KrylovKind::gmres:
    return std::make_unique<GmresMethod>(kernels, settings.restart);
  case KrylovKind::defect_correction:
    return std::make_unique<DefectCorrectionMethod>(kernels, settings.damping);
  }
  return nullptr;
}

} // namespace weft
