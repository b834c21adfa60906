#include "solve/precondition/leading_block.h"

#include "linalg/sub_matrix.h"
#include "solve/precondition/entries_of.h"

namespace weft {

LeadingBlock::LeadingBlock(LinearOperator &op, std::int64_t size) : op_(op), size_(size) {
  if (const SparseMatrix *matrix = op.matrix()) {
    const std::shared_ptr<const double[]> values = finite_values_of(op, "a preconditioner");
    const DofRange first{0, size};
    matrix_ = upload_matrix(op.device(), sub_matrix(matrix->pattern(), values.get(), first, first),
                            op.precision(), op.symmetric());
    return;
  }
  x_ = make_vector(op.device(), op.layout(), op.precision(), "bordered vector");
  y_ = make_vector(op.device(), op.layout(), op.precision(), "bordered product");
  op.device().fill_zero(x_.buffer, x_.size * size_bytes(x_.precision)); // the border stays so
}

void LeadingBlock::load_kernels() {
  if (matrix_)
    matrix_->load_kernels();
  else
    op_.load_kernels();
}

void LeadingBlock::apply(const Vector &x, Vector &y) {
  if (matrix_)
    return matrix_->apply(x, y);
  const std::uint64_t bytes = size_ * size_bytes(precision());
  device().copy(x.buffer, x_.buffer, bytes);
  op_.apply(x_, y_);
  device().copy(y_.buffer, y.buffer, bytes);
}

void LeadingBlock::diagonal(Vector &d) {
  if (matrix_)
    return matrix_->diagonal(d);
  op_.diagonal(y_);
  device().copy(y_.buffer, d.buffer, size_ * size_bytes(precision()));
}

} // namespace weft
