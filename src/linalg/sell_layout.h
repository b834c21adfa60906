// Sliced ELLPACK of a pattern, on the host: which row each slot is, where slices begin, columns.
#pragma once

#include "base/host_array.h"
#include "linalg/csr_pattern.h"
#include <cstdint>

namespace weft {

// Compressed rows, columns ascending, whatever holds them.
class RowsView {
public:
  RowsView(const CsrPattern &pattern)
      : num_rows(pattern.num_rows), columns(pattern.columns.data()),
        long_start_(pattern.row_start.data()) {}
  RowsView(std::int64_t num_rows, const std::int32_t *start, const std::int32_t *columns)
      : num_rows(num_rows), columns(columns), start_(start) {}

  std::int64_t start(std::int64_t row) const { return start_ ? start_[row] : long_start_[row]; }

  std::int64_t num_rows;
  const std::int32_t *columns;

private:
  const std::int64_t *long_start_ = nullptr; // one of these
  const std::int32_t *start_ = nullptr;
};

struct SellLayout {
  int slice = 8;    // rows of a slice, its height
  int window = 256; // rows among which rows are sorted; a multiple of `slice`
  std::int64_t num_slices = 0;
  std::int64_t num_values = 0; // zeros that fill shorter rows included
  // As the kernels read them, see kernels/matrix/sell.kernel.
  HostArray<std::int32_t> slices;     // [slice + 1][sell_slice_entries]
  HostArray<std::uint16_t> rows;      // [slice][row], ascending in each
  HostArray<std::uint16_t> columns16; // [entry][row] of narrow slices
  HostArray<std::int32_t> columns32;  // of the others
  // [slice][touched]: where there are hints, first columns of the lines of x that a slice reads and
  // that none of the slices shortly before it has read. A processor does not foresee these reads.
  // The first sell_slices_ahead slices have none: nobody runs ahead of them.
  HostArray<std::int32_t> touched;

  // Bytes of values of `real_bytes` each with the columns and tables.
  double bytes(double real_bytes) const;
};

inline constexpr int sell_slices_ahead = 16; // by which kernels fetch what slices touch
inline constexpr int sell_slice_entries = 4; // of a slice in SellLayout::slices

// The same whatever the number of threads. `slice` divides `window`, which is at most 65536.
// `line_reals`: reals of a line of the cache, for hints which lines to fetch ahead; 0: no hints.
// `wide`: all columns of 32 bits.
SellLayout make_sell_layout(const RowsView &pattern, int slice, int window, int line_reals,
                            bool wide = false);

// `values`, one for each entry of the rows, as the layout has them; zeros where rows are shorter.
// `sliced`: [layout.num_values].
void sell_values(const SellLayout &layout, const RowsView &rows, const double *values,
                 double *sliced);

} // namespace weft
