#include "op/sell_layout.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"

namespace weft {

namespace {

constexpr std::int32_t most_16_bit = 65535;

// Slices for which a line of x stays in a core's caches, beside the matrix that streams through.
constexpr std::int64_t slices_remembered = 256;
// Slices after which the memory of touched lines begins anew, so that parts are independent.
constexpr std::int64_t slices_a_part = 8192;

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
void order_window(SellLayout &layout, const CsrPattern &pattern, std::int64_t first_row,
                  bool wide) {
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
    entry[2] = all.is_narrow() && !wide ? 0 : -1;
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

// Calls body(row, place in the slice) for the rows of a slice.
template <typename Body>
void for_each_row(const SellLayout &layout, const CsrPattern &pattern, std::int64_t slice,
                  Body body) {
  const std::int64_t window = slice * layout.slice / layout.window * layout.window;
  for (int r = 0; r < layout.slice; ++r) {
    const std::int64_t row = window + layout.rows[slice * layout.slice + r];
    if (row < pattern.num_rows)
      body(row, r);
  }
}

// Slots without an entry keep column 0 of the slice: its value is zero.
void fill_columns(SellLayout &layout, const CsrPattern &pattern, std::int64_t slice) {
  const std::int32_t *entry = &layout.slices[slice * sell_slice_entries];
  for_each_row(layout, pattern, slice, [&](std::int64_t row, int r) {
    const std::int64_t first = pattern.row_start[row], end = pattern.row_start[row + 1];
    for (std::int64_t e = 0; e < end - first; ++e) {
      const std::int32_t relative = pattern.columns[first + e] - entry[1];
      if (entry[2] >= 0)
        layout.columns16[(entry[2] + e) * layout.slice + r] = static_cast<std::uint16_t>(relative);
      else
        layout.columns32[(std::int64_t{~entry[2]} + e) * layout.slice + r] = relative;
    }
  });
}

struct TouchedLines {
  std::vector<std::int32_t> columns, end; // [touched]; [slice]: after its own
};

// Of the slices first..end-1. last_touched[line]: the slice that read it last, or -1.
TouchedLines touched_lines(const SellLayout &layout, const CsrPattern &pattern, std::int64_t first,
                           std::int64_t end, int line_reals,
                           std::vector<std::int32_t> &last_touched) {
  TouchedLines lines;
  for (std::int64_t s = first; s < end; ++s) {
    const std::int64_t oldest = std::max(first, s - slices_remembered);
    for_each_row(layout, pattern, s, [&](std::int64_t row, int) {
      for (std::int64_t e = pattern.row_start[row]; e < pattern.row_start[row + 1]; ++e) {
        const std::int32_t line = pattern.columns[e] / line_reals;
        if (last_touched[line] < oldest && s >= sell_slices_ahead)
          lines.columns.push_back(line * line_reals);
        last_touched[line] = static_cast<std::int32_t>(s);
      }
    });
    lines.end.push_back(static_cast<std::int32_t>(lines.columns.size()));
  }
  return lines;
}

void list_touched(SellLayout &layout, const CsrPattern &pattern, int line_reals) {
  const std::int64_t num_parts = (layout.num_slices + slices_a_part - 1) / slices_a_part;
  std::vector<TouchedLines> parts(num_parts);
  parallel_ranges(num_parts, [&](std::int64_t begin, std::int64_t end, int) {
    std::vector<std::int32_t> last_touched(pattern.num_rows / line_reals + 1, -1);
    for (std::int64_t p = begin; p < end; ++p)
      parts[p] = touched_lines(layout, pattern, p * slices_a_part,
                               std::min((p + 1) * slices_a_part, layout.num_slices), line_reals,
                               last_touched);
  });
  for (std::int64_t p = 0; p < num_parts; ++p) {
    const auto before = static_cast<std::int32_t>(layout.touched.size());
    for (std::size_t i = 0; i < parts[p].end.size(); ++i)
      layout.slices[(p * slices_a_part + i + 1) * sell_slice_entries + 3] =
          before + parts[p].end[i];
    layout.touched.insert(layout.touched.end(), parts[p].columns.begin(), parts[p].columns.end());
  }
}

} // namespace

double SellLayout::bytes(double real_bytes) const {
  return real_bytes * static_cast<double>(num_values) +
         2.0 * static_cast<double>(columns16.size() + rows.size()) +
         4.0 * static_cast<double>(columns32.size() + slices.size() + touched.size());
}

SellLayout make_sell_layout(const CsrPattern &pattern, int slice, int window, int line_reals,
                            bool wide) {
  require(window % slice == 0 && window <= 65536, "windows of whole slices, of 16-bit rows");
  SellLayout layout;
  layout.slice = slice;
  layout.window = window;
  layout.num_slices = (pattern.num_rows + slice - 1) / slice;
  layout.slices.assign((layout.num_slices + 1) * sell_slice_entries, 0);
  layout.rows.resize(layout.num_slices * slice);
  parallel_ranges(pattern.num_rows, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t w = (begin + window - 1) / window; w * window < end; ++w)
      order_window(layout, pattern, w * window, wide);
  });
  place_slices(layout);
  parallel_ranges(layout.num_slices, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t s = begin; s < end; ++s)
      fill_columns(layout, pattern, s);
  });
  if (line_reals > 0)
    list_touched(layout, pattern, line_reals);
  return layout;
}

std::vector<double> sell_values(const SellLayout &layout, const CsrPattern &pattern,
                                const std::vector<double> &values) {
  std::vector<double> sliced(layout.num_values, 0.0);
  parallel_ranges(layout.num_slices, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t s = begin; s < end; ++s)
      for_each_row(layout, pattern, s, [&](std::int64_t row, int r) {
        std::int64_t place = std::int64_t{layout.slices[s * sell_slice_entries]} * layout.slice + r;
        for (std::int64_t e = pattern.row_start[row]; e < pattern.row_start[row + 1];
             ++e, place += layout.slice)
          sliced[place] = values[e];
      });
  });
  return sliced;
}

} // namespace weft
