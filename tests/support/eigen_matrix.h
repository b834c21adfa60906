// Matrices on the host as Eigen's, for tests that compute with them.
#pragma once

#include <vector>

#include <Eigen/Sparse>

#include "linalg/sparse_matrix.h"

namespace weft::test {

inline Eigen::SparseMatrix<double, Eigen::RowMajor> to_eigen(const HostMatrix &matrix,
                                                             std::int64_t num_columns) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::int32_t row = 0; row < matrix.num_rows(); ++row)
    for (auto e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e)
      entries.emplace_back(row, matrix.columns[e], matrix.values[e]);
  Eigen::SparseMatrix<double, Eigen::RowMajor> result(matrix.num_rows(), num_columns);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

inline HostMatrix to_host(Eigen::SparseMatrix<double, Eigen::RowMajor> matrix) {
  matrix.makeCompressed();
  return {{matrix.outerIndexPtr(), matrix.outerIndexPtr() + matrix.rows() + 1},
          {matrix.innerIndexPtr(), matrix.innerIndexPtr() + matrix.nonZeros()},
          {matrix.valuePtr(), matrix.valuePtr() + matrix.nonZeros()}};
}

} // namespace weft::test
