#include "op/sell_layout.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"

namespace weft {

namespace {

constexpr std::int32_t most_16_bit = 65535;

struct RowSpan {
  std::int32_t length = 0, low = 0, high = -1; // columns low..high
  bool is_narrow() const { return high - low <= most_16_bit; }
};

RowSpan span_of(const CsrPattern &pattern, std::int64_t row) {
  if (row >= pattern.num_rows)
    return {};
  const std::int64_t first = pattern.row_start[row], end = pattern.row_start[row + 1];
  if (first == end)
    return {};
  return {static_cast<std::int32_t>(end - first), pattern.columns[first], pattern.columns[end - 1]};
}

// Rows of a window as its slots have them: those that need 32-bit columns last, the others by
// length, so that slices have rows of one kind and of like lengths.
void order_window(SellLayout &layout, const CsrPattern &pattern, std::int64_t first_row) {
  const std::int64_t slots =
      std::min<std::int64_t>(layout.window, layout.num_slices * layout.slice - first_row);
  std::vector<RowSpan> spans(slots);
  for (std::int64_t i = 0; i < slots; ++i)
    spans[i] = span_of(pattern, first_row + i);
  const auto order = layout.rows.begin() + first_row;
  std::iota(order, order + slots, 0);
  std::stable_sort(order, order + slots, [&](std::uint16_t a, std::uint16_t b) {
    if (spans[a].is_narrow() != spans[b].is_narrow())
      return spans[a].is_narrow();
    return spans[a].length > spans[b].length;
  });
  // Lengths and lowest columns stand where first places will.
  for (std::int64_t slot = 0; slot < slots; slot += layout.slice) {
    RowSpan all;
    for (int r = 0; r < layout.slice; ++r) {
      const RowSpan &span = spans[order[slot + r]];
      if (span.length == 0)
        continue;
      all.low = all.length == 0 ? span.low : std::min(all.low, span.low);
      all.high = std::max(all.high, span.high);
      all.length = std::max(all.length, span.length);
    }
    std::int32_t *entry = &layout.slices[(first_row + slot) / layout.slice * sell_slice_entries];
    entry[0] = all.length;
    entry[1] = all.low;
    entry[2] = all.is_narrow() ? 0 : -1;
  }
}

void place_slices(SellLayout &layout) {
  std::int64_t first = 0, narrow = 0, wide = 0;
  for (std::int64_t s = 0; s < layout.num_slices; ++s) {
    std::int32_t *entry = &layout.slices[s * sell_slice_entries];
    const std::int32_t length = entry[0];
    const bool is_narrow = entry[2] >= 0;
    entry[0] = static_cast<std::int32_t>(first);
    entry[2] = static_cast<std::int32_t>(is_narrow ? narrow : ~wide);
    first += length;
    (is_narrow ? narrow : wide) += length;
  }
  require(first < (std::int64_t{1} << 31), "slices' places fit in 32 bits");
  layout.slices[layout.num_slices * sell_slice_entries] = static_cast<std::int32_t>(first);
  layout.num_values = first * layout.slice;
  layout.columns16.assign(narrow * layout.slice, 0);
  layout.columns32.assign(wide * layout.slice, 0);
}

// Slots without an entry keep column 0 of the slice: its value is zero.
void fill_columns(SellLayout &layout, const CsrPattern &pattern, std::int64_t slice) {
  const std::int32_t *entry = &layout.slices[slice * sell_slice_entries];
  const std::int64_t window = slice * layout.slice / layout.window * layout.window;
  for (int r = 0; r < layout.slice; ++r) {
    const std::int64_t row = window + layout.rows[slice * layout.slice + r];
    if (row >= pattern.num_rows)
      continue;
    const std::int64_t first = pattern.row_start[row], end = pattern.row_start[row + 1];
    for (std::int64_t e = 0; e < end - first; ++e) {
      const std::int32_t relative = pattern.columns[first + e] - entry[1];
      if (entry[2] >= 0)
        layout.columns16[(entry[2] + e) * layout.slice + r] = static_cast<std::uint16_t>(relative);
      else
        layout.columns32[(std::int64_t{~entry[2]} + e) * layout.slice + r] = relative;
    }
  }
}

} // namespace

double SellLayout::bytes(double real_bytes) const {
  return real_bytes * static_cast<double>(num_values) +
         2.0 * static_cast<double>(columns16.size() + rows.size()) +
         4.0 * static_cast<double>(columns32.size() + slices.size());
}

SellLayout make_sell_layout(const CsrPattern &pattern, int slice, int window) {
  require(window % slice == 0 && window <= 65536, "windows of whole slices, of 16-bit rows");
  SellLayout layout;
  layout.slice = slice;
  layout.window = window;
  layout.num_slices = (pattern.num_rows + slice - 1) / slice;
  layout.slices.assign((layout.num_slices + 1) * sell_slice_entries, 0);
  layout.rows.resize(layout.num_slices * slice);
  parallel_ranges(pattern.num_rows, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t w = (begin + window - 1) / window; w * window < end; ++w)
      order_window(layout, pattern, w * window);
  });
  place_slices(layout);
  parallel_ranges(layout.num_slices, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t s = begin; s < end; ++s)
      fill_columns(layout, pattern, s);
  });
  return layout;
}

} // namespace weft
