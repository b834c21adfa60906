// A solver in low precision as a preconditioner.
#pragma once

#include <memory>

#include "solve/multigrid/inner_solver.h"
#include "solve/multigrid/inner_stopping.h"
#include "solve/multigrid/scaled_transfer.h"
#include "solve/preconditioner.h"

namespace weft {

// z = S c max |S r| with c from some iterations of `inner.method` for (S A S) c = S r / max |S r|,
// S = diag(A)^-1/2, in a precision below that of r and z: the matrix's entries as LevelMatrix
// stores them, or, of an operator without a matrix, the same operator in f32. The first apply()
// after an update() finds out how many iterations pay where their number is open (see
// choose_iterations()).
class PrecondLowPrecision : public Preconditioner {
public:
  // Errors of update() (input, unsupported): cg for a matrix that is not symmetric; a precision in
  // which the operator can't be computed.
  PrecondLowPrecision(VectorKernels &kernels, const InnerSettings &settings, int components);
  void update(LinearOperator &op) override;
  const Vector &apply(const Vector &r, Vector &z, Vector &scratch) override;
  bool varies() const override { return true; }
  std::optional<Precision> low_precision() const override { return settings_.precision; }
  std::vector<LevelSummary> levels() const override;

  // Iterations of each apply(); 0 before the first.
  int iterations() const { return iterations_; }

private:
  void make_level(LinearOperator &op);
  void correct(const Vector &r, Vector &z, int iterations);
  InnerContraction measure(const Vector &r, Vector &z, Vector &scratch, int iterations);
  void choose(const Vector &r, Vector &z, Vector &scratch);

  VectorKernels &kernels_;
  InnerSettings settings_;
  int components_;               // of a node's unknowns, consecutive
  LinearOperator *op_ = nullptr; // as of update(); must outlive the use
  std::unique_ptr<LevelOperator> level_;
  std::unique_ptr<VectorKernels> low_; // of the level's precision
  std::unique_ptr<InnerSolver> solver_;
  std::unique_ptr<ScaledTransfer> transfer_;
  Vector b_, residual_; // in low precision
  double update_cost_ = 1;
  int iterations_ = 0;
};

} // namespace weft
