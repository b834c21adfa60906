// Which entries of a sparse matrix may differ from zero.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

// Compressed rows: the columns of row i are columns[row_start[i]] ... columns[row_start[i + 1] -
// 1], ascending.
struct CsrPattern {
  std::int64_t num_rows = 0;
  std::vector<std::int64_t> row_start; // [row + 1]
  std::vector<std::int32_t> columns;

  std::int64_t num_entries() const { return row_start.empty() ? 0 : row_start.back(); }
  // Columns of the row that are lower than this one.
  std::int64_t num_below(std::int64_t row, std::int32_t column) const;
  // Where entry (row, column) lies; it must be in the pattern.
  std::int64_t place(std::int64_t row, std::int32_t column) const;
};

} // namespace weft
