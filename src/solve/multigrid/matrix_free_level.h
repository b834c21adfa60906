// A level of multigrid whose operator has no matrix.
#pragma once

#include "linalg/levels/level_operator.h"
#include "linalg/operator.h"
#include "linalg/vector_kernels.h"

namespace weft {

// S A S with S = diag(A)^-1/2 (1 where the diagonal is not positive): its diagonal is 1, so that
// the numbers of all levels have about the same size.
class MatrixFreeLevel : public LevelOperator {
public:
  // `op`, linearised, must outlive the level. All, where ranks share it.
  explicit MatrixFreeLevel(LinearOperator &op);
  // Takes the diagonal as it is after the operator's linearisation. All.
  void update();

  std::int64_t size() const override { return op_.size(); }
  VectorLayout layout() const override { return op_.layout(); }
  std::shared_ptr<Halo> halo() const override { return halo_; }
  Precision precision() const override { return op_.precision(); }
  Precision storage() const override { return op_.precision(); }
  std::int64_t num_entries() const override { return 0; }
  std::uint64_t bytes() const override;

  const Vector *scaling() const override { return &scaling_; }
  void diagonal(Vector &d) override;
  void apply(const Vector &x, Vector &y) override;
  void residual(const Vector &b, const Vector &x, Vector &r) override;
  void smooth(const Vector &b, const Vector &x, Vector &w, Vector &out,
              const SmootherStep &step) override;

private:
  void multiply(const Vector &x); // product_ = A S x

  LinearOperator &op_;
  std::shared_ptr<Halo> halo_;
  VectorKernels kernels_;
  Vector scaling_, diagonal_, unscaled_, product_;
};

} // namespace weft
