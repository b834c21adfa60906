// A sparse approximate inverse as a preconditioner.
#pragma once

#include <memory>

#include "linalg/sparse_matrix.h"
#include "solve/preconditioner.h"

namespace weft {

// z = M r with M of sparse_approximate_inverse(), made on the host in f64: one product with a
// matrix that has the entries of A, in the operator's precision. Symmetric of a symmetric matrix.
class PrecondSpai : public PrecondWithSetup {
public:
  explicit PrecondSpai(bool reuse) : PrecondWithSetup(reuse) {}
  const Vector &apply(const Vector &r, Vector &z, Vector &scratch) override;

private:
  // Errors: unsupported where `op` has no matrix or a row of it too many entries; numerical where
  // the matrix is not finite.
  void set_up(LinearOperator &op) override;

  std::unique_ptr<SparseMatrix> inverse_;
};

} // namespace weft
