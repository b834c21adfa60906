// A matrix of the host's on a device, its values rounded to any precision.
#pragma once

#include "linalg/matrix_product.h"
#include "linalg/sparse_matrix.h"

namespace weft {

class StoredMatrix {
public:
  // `wide_columns`: in sliced ELLPACK, column numbers of 32 bits everywhere.
  StoredMatrix(Device &device, const HostMatrix &matrix, MatrixFormat format,
               const ProductSettings &settings, bool wide_columns = false);

  // y = A x; vectors of product().vector_size() entries. x and y differ.
  void apply(const Vector &x, Vector &y) { product_.apply(values_, x, y); }
  const MatrixProduct &product() const { return product_; }
  NamedCost cost() const { return product_.cost(); }

private:
  struct OnDevice {
    MatrixLayout layout;
    Buffer values;
  };
  static OnDevice upload_matrix(Device &device, const HostMatrix &matrix, MatrixFormat format,
                                const ProductSettings &settings, bool wide_columns);
  StoredMatrix(Device &device, const OnDevice &matrix, const ProductSettings &settings);

  Buffer values_;
  MatrixProduct product_;
};

} // namespace weft
