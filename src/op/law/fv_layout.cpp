#include "op/law/fv_layout.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"

namespace weft {

namespace {

constexpr std::int64_t most_indices = 65536; // that 16 bits tell apart
constexpr std::int64_t chunk_slices = 1024;  // of a thread at a time
// Rows for which a line of x stays in a core's caches, beside the matrix that streams through.
constexpr std::int64_t rows_remembered = 16384;
// Rows after which the memory of lines begins anew, so that threads are independent.
constexpr std::int64_t rows_a_part = 1 << 20;
constexpr std::int32_t never_read = -1;

std::int64_t num_slices(const EllpackMatrix &matrix, int slice) {
  return (matrix.num_rows + slice - 1) / slice;
}

// A row's slots by their index.
class SortedRow {
public:
  SortedRow(const EllpackMatrix &matrix, std::int64_t row)
      : index_(&matrix.index[row * matrix.width]), value_(&matrix.value[row * matrix.width]) {
    for (int s = 0; s < matrix.width; ++s) {
      int at = s;
      for (; at > 0 && index_[slots_[at - 1]] > index_[s]; --at)
        slots_[at] = slots_[at - 1];
      slots_[at] = static_cast<std::int8_t>(s);
    }
  }
  std::int32_t index(int slot) const { return index_[slots_[slot]]; }
  double value(int slot) const { return value_[slots_[slot]]; }

  static constexpr int most_slots = 64;

private:
  const std::int32_t *index_;
  const double *value_;
  std::array<std::int8_t, most_slots> slots_;
};

void check_width(const EllpackMatrix &matrix) {
  require(matrix.width >= 1 && matrix.width <= SortedRow::most_slots &&
              matrix.index.size() == std::size_t(matrix.num_rows) * matrix.width &&
              matrix.value.size() == matrix.index.size(),
          "a matrix of 1 to 64 slots a row");
}

// Calls body(slice, index of its first slot and row) for all slices, in parallel.
template <typename Body> void for_each_slice(const EllpackMatrix &matrix, int slice, Body body) {
  parallel_chunks(num_slices(matrix, slice), chunk_slices,
                  [&](std::int64_t begin, std::int64_t end, int) {
                    for (std::int64_t s = begin; s < end; ++s)
                      body(s, s * matrix.width * slice);
                  });
}

// [slot][row] of a slice; rows that there are not read its first.
void slice_indices(const EllpackMatrix &matrix, int slice, std::int64_t s,
                   std::vector<std::int32_t> &indices) {
  indices.assign(std::size_t(matrix.width) * slice, static_cast<std::int32_t>(s * slice));
  for (int r = 0; r < slice && s * slice + r < matrix.num_rows; ++r) {
    const SortedRow row(matrix, s * slice + r);
    for (int j = 0; j < matrix.width; ++j)
      indices[j * slice + r] = row.index(j);
  }
}

// The lowest index of each slot, and whether all others are near enough to it.
bool is_narrow(const std::vector<std::int32_t> &indices, int width, int slice,
               std::int32_t *lowest) {
  bool narrow = true;
  for (int j = 0; j < width; ++j) {
    const auto [low, high] =
        std::minmax_element(indices.begin() + j * slice, indices.begin() + (j + 1) * slice);
    lowest[j] = *low;
    narrow = narrow && std::int64_t(*high) - *low < most_indices;
  }
  return narrow;
}

// Entries of x that a block reads and that are not its own.
std::vector<std::int32_t> outside_of(const EllpackMatrix &matrix, std::int64_t begin,
                                     std::int64_t end) {
  std::vector<std::int32_t> outside;
  for (std::int64_t number = begin * matrix.width; number < end * matrix.width; ++number)
    if (matrix.index[number] < begin || matrix.index[number] >= end)
      outside.push_back(matrix.index[number]);
  std::sort(outside.begin(), outside.end());
  outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
  return outside;
}

} // namespace

std::vector<double> fv_values(const EllpackMatrix &matrix, int slice) {
  check_width(matrix);
  std::vector<double> values(num_slices(matrix, slice) * slice * matrix.width, 0.0);
  for_each_slice(matrix, slice, [&](std::int64_t s, std::int64_t first) {
    for (int r = 0; r < slice && s * slice + r < matrix.num_rows; ++r) {
      const SortedRow row(matrix, s * slice + r);
      for (int j = 0; j < matrix.width; ++j)
        values[first + j * slice + r] = row.value(j);
    }
  });
  return values;
}

FvIndices fv_indices(const EllpackMatrix &matrix, int slice, int bits) {
  check_width(matrix);
  require(bits == 16 || bits == 32, "indices of 16 or 32 bits");
  const std::int64_t slices = num_slices(matrix, slice), reals = std::int64_t(matrix.width) * slice;
  FvIndices result;
  if (bits == 32) {
    result.index32.resize(slices * reals);
    for_each_slice(matrix, slice, [&](std::int64_t s, std::int64_t first) {
      std::vector<std::int32_t> indices;
      slice_indices(matrix, slice, s, indices);
      std::copy(indices.begin(), indices.end(), result.index32.begin() + first);
    });
    return result;
  }
  const int entries = matrix.width + 1;
  result.slices.resize(slices * entries);
  for_each_slice(matrix, slice, [&](std::int64_t s, std::int64_t) {
    std::vector<std::int32_t> indices;
    slice_indices(matrix, slice, s, indices);
    std::int32_t *row = &result.slices[s * entries];
    row[matrix.width] = is_narrow(indices, matrix.width, slice, row) ? 0 : -1;
  });
  std::int32_t narrow = 0, wide = 0;
  for (std::int64_t s = 0; s < slices; ++s) {
    std::int32_t &number = result.slices[s * entries + matrix.width];
    number = number == 0 ? narrow++ : ~wide++;
  }
  result.index16.resize(narrow * reals);
  result.index32.resize(wide * reals);
  for_each_slice(matrix, slice, [&](std::int64_t s, std::int64_t) {
    std::vector<std::int32_t> indices;
    slice_indices(matrix, slice, s, indices);
    const std::int32_t *row = &result.slices[s * entries];
    const std::int32_t number = row[matrix.width];
    for (std::int64_t i = 0; i < reals; ++i)
      if (number >= 0)
        result.index16[number * reals + i] =
            static_cast<std::uint16_t>(indices[i] - row[i / slice]);
      else
        result.index32[~number * reals + i] = indices[i];
  });
  return result;
}

FvTouched fv_touched(const EllpackMatrix &matrix, int slice, int ahead, int line_reals) {
  check_width(matrix);
  const std::int64_t slices = num_slices(matrix, slice);
  const std::int64_t remembered = std::max<std::int64_t>(1, rows_remembered / slice);
  const std::int64_t part = std::max<std::int64_t>(1, rows_a_part / slice);
  const std::int64_t parts = (slices + part - 1) / part;
  FvTouched result;
  result.start.assign(slices + 1, 0);
  std::vector<std::vector<std::int32_t>> lists(parts);
  parallel_ranges(parts, [&](std::int64_t begin, std::int64_t end, int) {
    // [line]: the slice that has read it last. What is of another part is far away.
    std::vector<std::int32_t> last(matrix.num_columns() / line_reals + 1, never_read);
    for (std::int64_t s = begin * part; s < std::min(end * part, slices); ++s) {
      std::vector<std::int32_t> &list = lists[s / part];
      const std::int64_t oldest = std::max(s / part * part, s - remembered);
      const std::int64_t rows = std::min(matrix.num_rows, (s + 1) * slice);
      for (std::int64_t number = s * slice * matrix.width; number < rows * matrix.width; ++number) {
        const std::int32_t line = matrix.index[number] / line_reals;
        if (last[line] < oldest && s >= ahead)
          list.push_back(line * line_reals);
        last[line] = static_cast<std::int32_t>(s);
      }
      result.start[s + 1] = static_cast<std::int32_t>(list.size());
    }
  });
  for (std::int64_t p = 0; p < parts; ++p) {
    const auto before = static_cast<std::int32_t>(result.lines.size());
    for (std::int64_t s = p * part; s < std::min((p + 1) * part, slices); ++s)
      result.start[s + 1] += before;
    result.lines.insert(result.lines.end(), lists[p].begin(), lists[p].end());
  }
  return result;
}

double fv_outside_fraction(const EllpackMatrix &matrix, std::int64_t block_rows) {
  check_width(matrix);
  const std::int64_t blocks = (matrix.num_rows + block_rows - 1) / block_rows;
  std::vector<std::int64_t> counts(blocks);
  parallel_chunks(blocks, 1, [&](std::int64_t b, std::int64_t, int) {
    const std::int64_t begin = b * block_rows;
    counts[b] = static_cast<std::int64_t>(
        outside_of(matrix, begin, std::min(matrix.num_rows, begin + block_rows)).size());
  });
  return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})) /
         static_cast<double>(matrix.num_rows);
}

FvBlocks fv_blocks(const EllpackMatrix &matrix, int slice, std::int64_t block_rows) {
  check_width(matrix);
  require(block_rows >= slice && block_rows % slice == 0, "a block is a whole number of slices");
  const std::int64_t blocks = (matrix.num_rows + block_rows - 1) / block_rows;
  std::vector<std::vector<std::int32_t>> lists(blocks);
  FvBlocks result;
  result.block_rows = block_rows;
  result.index.resize(num_slices(matrix, slice) * slice * matrix.width);
  parallel_chunks(blocks, 1, [&](std::int64_t b, std::int64_t, int) {
    const std::int64_t begin = b * block_rows, end = std::min(matrix.num_rows, begin + block_rows);
    const std::vector<std::int32_t> outside = outside_of(matrix, begin, end);
    std::vector<std::int32_t> indices;
    for (std::int64_t s = begin / slice; s * slice < end; ++s) {
      slice_indices(matrix, slice, s, indices);
      for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::int32_t at = indices[i];
        const std::int64_t number =
            at >= begin && at < end
                ? at - begin
                : block_rows +
                      (std::lower_bound(outside.begin(), outside.end(), at) - outside.begin());
        result.index[s * std::int64_t(indices.size()) + i] = static_cast<std::uint16_t>(number);
      }
    }
    lists[b] = outside;
  });
  result.outside_start.push_back(0);
  for (const auto &list : lists) {
    result.outside.insert(result.outside.end(), list.begin(), list.end());
    result.outside_start.push_back(static_cast<std::int32_t>(result.outside.size()));
    result.most_outside = std::max(result.most_outside, static_cast<std::int64_t>(list.size()));
  }
  if (block_rows + result.most_outside > most_indices)
    throw Error(
        ErrorKind::unsupported,
        {.what = "a block's places do not fit in 16 bits",
         .where = "block_rows",
         .found = fmt::format("{} rows that read {} others", block_rows, result.most_outside),
         .allowed = fmt::format("{} together", most_indices),
         .remedy = "choose smaller blocks, or put neighbours near each other"});
  return result;
}

} // namespace weft
