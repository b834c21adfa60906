// Rows that ranks share, brought to the first of them.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/sparse_matrix.h"
#include "ranks/communicator.h"

namespace weft {

class RowsOnFirst {
public:
  // All. `own`: rows of this rank; those of all ranks follow one another.
  RowsOnFirst(Communicator &ranks, std::int64_t own);

  // All: the matrix of all rows, on the first rank; on others none. `numbers`: of columns, see
  // LinearOperator::numbers_of_entries().
  HostMatrix whole_matrix(const HostMatrix &own, const std::vector<std::int32_t> &numbers) const;
  // All: the entries of all ranks, on the first one; on others none. And the way back.
  std::vector<double> gather(std::vector<double> &own) const;
  void scatter(std::vector<double> &whole, std::vector<double> &own) const;
  // All: of numbers that the first rank has, those of this rank's rows, as its own.
  std::vector<std::int64_t> own_of(const std::vector<std::int64_t> &numbers) const;

private:
  std::vector<Piece> pieces_of(std::vector<double> &whole) const;

  Communicator *ranks_;
  std::vector<std::int64_t> first_; // [rank + 1]
};

} // namespace weft
