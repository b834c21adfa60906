// A matrix beside itself, for several right-hand sides at once.
#pragma once

#include "linalg/matrix_product.h"
#include "linalg/sparse_matrix.h"

namespace weft {

// diag(A, A, A, A): vectors are those of all systems, interleaved, [row][system]. The entries of A
// are read once for all four. A Krylov method sees one system, whose eigenvalues are those of A:
// its polynomial serves all right-hand sides.
class RepeatedMatrix : public LinearOperator {
public:
  static constexpr int num_systems = 4;

  // Sees the values that the matrix, which must outlive it, has now and later.
  explicit RepeatedMatrix(const SparseMatrix &matrix, Device &device);

  std::int64_t size() const override { return product_.vector_size(); }
  Precision precision() const override { return matrix_.precision(); }
  Device &device() override { return device_; }
  bool symmetric() const override { return matrix_.symmetric(); }
  int systems() const override { return num_systems; }
  const SparseMatrix *matrix() const override { return &matrix_; }
  void apply(const Vector &x, Vector &y) override { product_.apply(matrix_.stored_values(), x, y); }
  void load_kernels() override { product_.load_kernels(); }
  void diagonal(Vector &d) override;

private:
  const SparseMatrix &matrix_;
  Device &device_;
  MatrixProduct product_;
};

} // namespace weft
