// Blocks of a matrix: consecutive rows and columns, as those of a field are.
#pragma once

#include <cstdint>
#include <memory>

#include "linalg/matrix_product.h"
#include "linalg/sparse_matrix.h"

namespace weft {

// Consecutive rows, columns or entries of a vector.
struct DofRange {
  std::int64_t first = 0, size = 0;
};

// Entries in these rows and columns, both counted from 0, of a matrix with `values` in the order of
// its pattern. On all host threads.
HostMatrix sub_matrix(const CsrPattern &pattern, const double *values, const DofRange &rows,
                      const DofRange &columns);

// A matrix of the host on a device. It must be square, with all of its diagonal.
std::unique_ptr<SparseMatrix> upload_matrix(Device &device, const HostMatrix &matrix,
                                            Precision precision, bool symmetric);

// y = A x with a matrix that need not be square, its entries rounded to f32: what a preconditioner
// needs of it.
class Coupling {
public:
  Coupling(Device &device, const HostMatrix &matrix, std::int64_t num_columns, Precision vectors);
  bool empty() const { return num_entries_ == 0; }
  void apply(const Vector &x, Vector &y);

private:
  std::int64_t num_entries_ = 0;
  Buffer values_;
  std::unique_ptr<MatrixProduct> product_; // null: no entry
};

} // namespace weft
