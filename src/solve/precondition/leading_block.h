// The first rows and columns of an operator.
#pragma once

#include <memory>

#include "linalg/sparse_matrix.h"

namespace weft {

class LeadingBlock : public LinearOperator {
public:
  // The first `size` ones of `op`, which must outlive the block. Where `op` has a matrix the block
  // has one, too, with the entries as they are now. Error (numerical): an entry is not finite.
  LeadingBlock(LinearOperator &op, std::int64_t size);
  // What it is a block of.
  LinearOperator &whole() const { return op_; }

  std::int64_t size() const override { return size_; }
  Precision precision() const override { return op_.precision(); }
  Device &device() override { return op_.device(); }
  bool symmetric() const override { return op_.symmetric(); }
  const SparseMatrix *matrix() const override { return matrix_.get(); }
  void load_kernels() override;
  void apply(const Vector &x, Vector &y) override;
  void diagonal(Vector &d) override;

private:
  LinearOperator &op_;
  std::int64_t size_;
  std::unique_ptr<SparseMatrix> matrix_;
  Vector x_, y_; // of all entries, without a matrix
};

} // namespace weft
