#include "op/reference/differences.h"

namespace weft::reference {

std::vector<double> differences(const EllpackMatrix &matrix, const std::vector<double> &x) {
  std::vector<double> y(matrix.num_rows, 0.0);
  for (std::int64_t row = 0; row < matrix.num_rows; ++row)
    for (std::int64_t slot = row * matrix.width; slot < (row + 1) * matrix.width; ++slot)
      y[row] += matrix.value[slot] * (x[matrix.index[slot]] - x[row]);
  return y;
}

} // namespace weft::reference
