// Which entries of an assembled matrix may differ from zero: rows and columns of dofs that have a
// cell in common.
#pragma once

#include <cstdint>
#include <vector>

#include "op/discretisation.h"

namespace weft {

// Compressed rows: the columns of row i are columns[row_start[i]] ... columns[row_start[i + 1] -
// 1], ascending.
struct CsrPattern {
  std::int64_t num_rows = 0;
  std::vector<std::int64_t> row_start; // [row + 1]
  std::vector<std::int32_t> columns;

  std::int64_t num_entries() const { return row_start.empty() ? 0 : row_start.back(); }
  // Where entry (row, column) lies; it must be in the pattern.
  std::int64_t place(std::int64_t row, std::int32_t column) const;
};

// Rows are dofs; prescribed ones have their entries too, so that the pattern is that of the mesh
// and the fields alone. On all host threads.
CsrPattern make_csr_pattern(const Discretisation &d);

} // namespace weft
