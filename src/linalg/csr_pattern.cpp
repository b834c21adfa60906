#include "linalg/csr_pattern.h"

#include <algorithm>

#include "base/error.h"

namespace weft {

std::int64_t CsrPattern::place(std::int64_t row, std::int32_t column) const {
  const auto first = columns.begin() + row_start[row], end = columns.begin() + row_start[row + 1];
  const auto found = std::lower_bound(first, end, column);
  require(found != end && *found == column, "an entry of the pattern");
  return found - columns.begin();
}

} // namespace weft
