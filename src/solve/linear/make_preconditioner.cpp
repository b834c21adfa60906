#include "solve/linear/make_preconditioner.h"

#include "solve/precondition/precond_adi.h"
#include "solve/precondition/precond_blocks.h"
#include "solve/precondition/precond_bordered.h"
#include "solve/precondition/precond_chebyshev.h"
#include "solve/precondition/precond_direct.h"
#include "solve/precondition/precond_hypre.h"
#include "solve/precondition/precond_ilu.h"
#include "solve/precondition/precond_low_precision.h"
#include "solve/precondition/precond_multigrid.h"
#include "solve/precondition/precond_spai.h"

namespace weft {

namespace {

// Of the unknowns inside a border.
SolverSettings settings_inside(SolverSettings settings, std::int64_t size) {
  settings.num_border = 0;
  std::erase_if(settings.fields, [&](const FieldDofs &field) { return field.first_dof >= size; });
  return settings;
}

// The files of kernels/vector that a preconditioner launches from; the method that estimates an
// eigenvalue is that of the operator's symmetry, which is not known yet.
std::set<std::string> kernel_parts_inside(PrecondKind kind) {
  if (kind == PrecondKind::chebyshev)
    return {"jacobi", "chebyshev", "cg", "gmres"};
  return {"jacobi"};
}

// A direct solver takes the matrix with its border, as it is.
bool has_border(const SolverSettings &settings) {
  return settings.num_border > 0 && settings.preconditioner != PrecondKind::none &&
         settings.preconditioner != PrecondKind::direct;
}

} // namespace

std::unique_ptr<Preconditioner> make_preconditioner(VectorKernels &kernels,
                                                    const SolverSettings &settings) {
  if (has_border(settings))
    return std::make_unique<PrecondBordered>(
        kernels, settings.num_border, kernel_parts_inside(settings.preconditioner),
        [&](VectorKernels &inside) {
          return make_preconditioner(inside, settings_inside(settings, inside.size()));
        });
  switch (settings.preconditioner) {
  case PrecondKind::none:
    return std::make_unique<PrecondNone>();
  case PrecondKind::jacobi:
    return std::make_unique<PrecondJacobi>(kernels);
  case PrecondKind::chebyshev:
    return std::make_unique<PrecondChebyshev>(kernels, settings.chebyshev_degree);
  case PrecondKind::hypre:
    return std::make_unique<PrecondHypre>(kernels, settings.hypre, settings.fields);
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
  case PrecondKind::blocks:
    return std::make_unique<PrecondBlocks>(kernels, settings);
  case PrecondKind::ilu:
    return std::make_unique<PrecondIlu>(settings.ilu, settings.fields);
  case PrecondKind::spai:
    return std::make_unique<PrecondSpai>(settings.reuse_sparse_inverse);
  case PrecondKind::adi:
    return std::make_unique<PrecondAdi>(settings);
  case PrecondKind::direct:
    return std::make_unique<PrecondDirect>(kernels, settings.reuse_factors);
  }
  return nullptr;
}

} // namespace weft
