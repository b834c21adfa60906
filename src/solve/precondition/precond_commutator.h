// A preconditioner for the Schur complement of a flow with convection or inertia.
#pragma once

#include <memory>
#include <vector>

#include "linalg/sub_matrix.h"
#include "solve/block_settings.h"
#include "solve/preconditioner.h"

namespace weft {

// The least-squares commutator (Elman, Howle, Shadid, Shuttleworth, Tuminaro 2006, DOI
// 10.1137/040608817). Of a system [F G; B 0] whose Schur complement is -B F^-1 G,
//   z = -L^-1 B W F W G L^-1 r,   L = B W G,
// with the inverse W of the diagonal of the constrained field's mass matrix, and a cycle of
// multigrid for L^-1, which is a Laplacian of the constraint. Dofs without couplings, such as
// prescribed ones, are divided by their diagonal. Products are in f32.
class PrecondCommutator : public PrecondWithSetup {
public:
  // `kernels`: of vectors of the constraint. `settings`: its block, with `constrained` and
  // `inverse_mass`.
  PrecondCommutator(VectorKernels &kernels, const BlockSettings &settings);

  const Vector &apply(const Vector &r, Vector &z, Vector &scratch) override;
  bool varies() const override { return true; } // products are rounded
  std::optional<Precision> low_precision() const override { return Precision::f32; }

private:
  // Of the whole system. Errors: those of PrecondMultigrid and finite_values_of().
  void set_up(LinearOperator &op) override;

  VectorKernels &kernels_;
  DofRange dofs_, constrained_;
  std::unique_ptr<VectorKernels> of_constrained_; // vectors of that field
  std::unique_ptr<SparseMatrix> laplacian_;
  std::unique_ptr<Preconditioner> solver_; // of the Laplacian
  std::unique_ptr<Coupling> gradient_, divergence_, own_;
  Vector inverse_mass_, inverse_uncoupled_; // the latter 0 where there are couplings
  Vector u_, product_, p_, uncoupled_;
};

} // namespace weft
