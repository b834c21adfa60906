// Where the entries of a sparse matrix lie in its transpose.
#pragma once

#include <cstdint>

#include "base/host_array.h"
#include "op/sell_layout.h"

namespace weft {

// Compressed rows of the transpose, with ascending columns.
struct Transposition {
  HostArray<std::int32_t> start;   // [column of the matrix + 1]
  HostArray<std::int32_t> columns; // [entry of the transpose]: the row of the matrix
  HostArray<std::int32_t> entries; // [entry of the transpose]: which entry of the matrix it is
};

// On all host threads, the same whatever their number. Fewer than 2^31 entries.
Transposition transpose(const RowsView &rows, std::int64_t num_columns);

} // namespace weft
