// A direct solver as a preconditioner: one application solves the system it was set up for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linalg/halo/rows_on_first.h"
#include "solve/direct/direct_solver.h"
#include "solve/precondition/host_vectors.h"
#include "solve/preconditioner.h"

namespace weft {

// Factors of the matrix, in f64 on the host; among ranks the first one has those of all rows, and
// solves for all. A Krylov method around it is iterative refinement, and
// lets factors serve later operators that are near.
class PrecondDirect : public PrecondWithSetup {
public:
  PrecondDirect(VectorKernels &kernels, bool reuse);

  const Vector &apply(const Vector &r, Vector &z, Vector &scratch) override;
  int most_iterations_kept() const override;
  std::string library() const override;
  std::vector<std::int64_t> null_pivots() const override;

private:
  // Errors: unsupported where `op` has no matrix; numerical where the matrix is not finite or has
  // no factors.
  void set_up(LinearOperator &op) override;
  void take_null_pivots();

  HostVectors vectors_;
  std::optional<RowsOnFirst> rows_;      // among ranks
  std::unique_ptr<DirectSolver> solver_; // of the first rank
  std::string library_;
  std::vector<double> values_;
  std::vector<std::int64_t> null_pivots_; // of own rows
};

} // namespace weft
