#include "linalg/sell_layout.h"

#include <algorithm>
#include <vector>

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

RowSpan span_of(const RowsView &pattern, std::int64_t row) {
  if (row >= pattern.num_rows)
    return {};
  const std::int64_t first = pattern.start(row), end = pattern.start(row + 1);
  if (first == end)
    return {};
  return {static_cast<std::int32_t>(end - first), pattern.columns[first], pattern.columns[end - 1]};
}

// Places in `order` of the rows of a window, as its slots have them: those that need 32-bit columns
// last, the others by length, so that slices have rows of one kind and of like lengths.
void sort_window(const std::vector<RowSpan> &spans, std::uint16_t *order) {
  std::int32_t longest = 0;
  for (const RowSpan &span : spans)
    longest = std::max(longest, span.length);
  const auto bin = [&](const RowSpan &span) {
    return (span.is_narrow() ? 0 : longest + 1) + longest - span.length;
  };
  std::vector<std::int32_t> first(2 * (std::size_t(longest) + 1) + 1, 0);
  for (const RowSpan &span : spans)
    ++first[bin(span) + 1];
  for (std::size_t b = 1; b < first.size(); ++b)
    first[b] += first[b - 1];
  for (std::size_t i = 0; i < spans.size(); ++i)
    order[first[bin(spans[i])]++] = static_cast<std::uint16_t>(i);
}

void order_window(SellLayout &layout, const RowsView &pattern, std::int64_t first_row, bool wide) {
  const std::int64_t slots =
      std::min<std::int64_t>(layout.window, layout.num_slices * layout.slice - first_row);
  std::vector<RowSpan> spans(slots);
  for (std::int64_t i = 0; i < slots; ++i)
    spans[i] = span_of(pattern, first_row + i);
  std::uint16_t *order = layout.rows.data() + first_row;
  sort_window(spans, order);
  // Lengths and lowest columns stand where first places will.
  for (std::int64_t slot = 0; slot < slots; slot += layout.slice) {
    if (std::uint16_t *of_slice = order + slot; !std::is_sorted(of_slice, of_slice + layout.slice))
      std::sort(of_slice, of_slice + layout.slice);
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
  layout.columns16.resize(narrow * layout.slice);
  layout.columns32.resize(wide * layout.slice);
}

// Calls body(row, place in the slice) for the rows of a slice.
template <typename Body>
void for_each_row(const SellLayout &layout, const RowsView &pattern, std::int64_t slice,
                  Body body) {
  const std::int64_t window = slice * layout.slice / layout.window * layout.window;
  for (int r = 0; r < layout.slice; ++r) {
    const std::int64_t row = window + layout.rows[slice * layout.slice + r];
    if (row < pattern.num_rows)
      body(row, r);
  }
}

// Slots without an entry have column 0 of the slice: their value is zero.
template <typename Column>
void fill_columns_of(const SellLayout &layout, const RowsView &pattern, std::int64_t slice,
                     Column *columns) {
  const std::int32_t *entry = &layout.slices[slice * sell_slice_entries];
  std::fill_n(columns, std::int64_t{entry[sell_slice_entries] - entry[0]} * layout.slice, 0);
  for_each_row(layout, pattern, slice, [&](std::int64_t row, int r) {
    const std::int64_t first = pattern.start(row), end = pattern.start(row + 1);
    for (std::int64_t e = 0; e < end - first; ++e)
      columns[e * layout.slice + r] = static_cast<Column>(pattern.columns[first + e] - entry[1]);
  });
}

void fill_columns(SellLayout &layout, const RowsView &pattern, std::int64_t slice) {
  const std::int32_t first = layout.slices[slice * sell_slice_entries + 2];
  if (first >= 0)
    fill_columns_of(layout, pattern, slice,
                    layout.columns16.data() + std::int64_t{first} * layout.slice);
  else
    fill_columns_of(layout, pattern, slice,
                    layout.columns32.data() + std::int64_t{~first} * layout.slice);
}

struct TouchedLines {
  std::vector<std::int32_t> columns, end; // [touched]; [slice]: after its own
};

// Lines of the slices first..end-1. last_touched[line]: the slice that read it last, or -1.
TouchedLines touched_lines(const SellLayout &layout, const RowsView &pattern, std::int64_t first,
                           std::int64_t end, int line_reals,
                           std::vector<std::int32_t> &last_touched) {
  TouchedLines lines;
  for (std::int64_t s = first; s < end; ++s) {
    const std::int64_t oldest = std::max(first, s - slices_remembered);
    for_each_row(layout, pattern, s, [&](std::int64_t row, int) {
      for (std::int64_t e = pattern.start(row); e < pattern.start(row + 1); ++e) {
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

void list_touched(SellLayout &layout, const RowsView &pattern, int line_reals) {
  const std::int64_t num_parts = (layout.num_slices + slices_a_part - 1) / slices_a_part;
  std::vector<TouchedLines> parts(num_parts);
  std::vector<std::vector<std::int32_t>> last_touched(host_threads()); // [thread][line]
  std::int64_t num_columns = pattern.num_rows; // more where other ranks have some
  for (std::int64_t row = 0; row < pattern.num_rows; ++row)
    if (pattern.start(row + 1) > pattern.start(row))
      num_columns =
          std::max<std::int64_t>(num_columns, pattern.columns[pattern.start(row + 1) - 1] + 1);
  parallel_chunks(num_parts, 1, [&](std::int64_t p, std::int64_t, int thread) {
    last_touched[thread].resize(num_columns / line_reals + 1, -1);
    parts[p] = touched_lines(layout, pattern, p * slices_a_part,
                             std::min((p + 1) * slices_a_part, layout.num_slices), line_reals,
                             last_touched[thread]);
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

SellLayout make_sell_layout(const RowsView &pattern, int slice, int window, int line_reals,
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

void sell_values(const SellLayout &layout, const RowsView &rows, const double *values,
                 double *sliced) {
  parallel_ranges(layout.num_slices, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t s = begin; s < end; ++s) {
      const std::int32_t *entry = &layout.slices[s * sell_slice_entries];
      double *of_slice = sliced + std::int64_t{entry[0]} * layout.slice;
      std::fill_n(of_slice, std::int64_t{entry[sell_slice_entries] - entry[0]} * layout.slice, 0.);
      for_each_row(layout, rows, s, [&](std::int64_t row, int r) {
        double *place = of_slice + r;
        for (std::int64_t e = rows.start(row); e < rows.start(row + 1); ++e, place += layout.slice)
          *place = values[e];
      });
    }
  });
}

} // namespace weft
