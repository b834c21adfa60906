// A preconditioner for systems of several fields: each field's block by a solver of its own, one
// after the other.
#pragma once

#include <memory>
#include <vector>

#include "linalg/sub_matrix.h"
#include "solve/preconditioner.h"

namespace weft {

// Block Gauss-Seidel in the order of the settings: z_i = M_i (r_i - sum over j before i of A_ij
// z_j). With a pressure first, whose M is minus the inverse of the Schur complement or what stands
// for that, it is the block triangular preconditioner of saddle points (Elman, Silvester, Wathen
// 2014, "Finite Elements and Fast Iterative Solvers", section 9.2, DOI
// 10.1093/acprof:oso/9780199678792.001.0001).
class PrecondBlocks : public PrecondWithSetup {
public:
  // The settings' `blocks`.
  PrecondBlocks(VectorKernels &kernels, const SolverSettings &settings);
  ~PrecondBlocks() override;

  const Vector &apply(const Vector &r, Vector &z, Vector &scratch) override;
  bool varies() const override;
  std::optional<Precision> low_precision() const override;
  std::vector<LevelSummary> levels() const override; // of the largest hierarchy

private:
  struct Block;

  // Errors: unsupported where `op` has no matrix; those of the blocks' solvers.
  void set_up(LinearOperator &op) override;

  VectorKernels &kernels_;
  std::vector<std::unique_ptr<Block>> blocks_;
};

} // namespace weft
