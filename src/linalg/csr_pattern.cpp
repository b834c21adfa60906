#include "linalg/csr_pattern.h"

#include <algorithm>

#include "base/error.h"

namespace weft {

std::int64_t CsrPattern::num_below(std::int64_t row, std::int32_t column) const {
  // Up to here all columns are compared, several at once: a search waits for each comparison.
  constexpr std::int64_t short_row = 64;
  const std::int32_t *first = columns.data() + row_start[row];
  const std::int64_t length = row_start[row + 1] - row_start[row];
  if (length > short_row)
    return std::lower_bound(first, first + length, column) - first;
  std::int32_t below = 0;
  for (std::int64_t e = 0; e < length; ++e)
    below += first[e] < column ? 1 : 0;
  return below;
}

std::int64_t CsrPattern::place(std::int64_t row, std::int32_t column) const {
  const std::int64_t found = row_start[row] + num_below(row, column);
  require(found < row_start[row + 1] && columns[found] == column, "an entry of the pattern");
  return found;
}

} // namespace weft
