// The transpose of a sparse matrix.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/host_array.h"
#include "base/parallel.h"
#include "linalg/sell_layout.h"

namespace weft {

// Compressed rows of the transpose, with ascending columns. Calls body(entry, row, column, place)
// for each entry of the matrix, where `place` is that of the entry in the transpose; starts of all
// rows are known then. On all host threads, with the same result whatever their number. Fewer than
// 2^31 entries.
//
// A thread has a range of rows: where its entries of a column begin follows from how many the
// threads before it have.
template <typename Body>
void transpose(const RowsView &rows, std::int64_t num_columns, HostArray<std::int32_t> &start,
               HostArray<std::int32_t> &columns, const Body &body) {
  std::vector<std::vector<std::int32_t>> places(host_threads());
  parallel_ranges(rows.num_rows, [&](std::int64_t begin, std::int64_t end, int thread) {
    places[thread].assign(num_columns, 0);
    for (std::int64_t e = rows.start(begin); e < rows.start(end); ++e)
      ++places[thread][rows.columns[e]];
  });
  start.resize(num_columns + 1);
  std::int32_t next = start[0] = 0;
  for (std::int64_t column = 0; column < num_columns; ++column) {
    for (std::vector<std::int32_t> &of_thread : places)
      if (!of_thread.empty())
        next += std::exchange(of_thread[column], next);
    start[column + 1] = next;
  }
  columns.resize(next);
  parallel_ranges(rows.num_rows, [&](std::int64_t begin, std::int64_t end, int thread) {
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t e = rows.start(row); e < rows.start(row + 1); ++e) {
        const std::int32_t column = rows.columns[e], place = places[thread][column]++;
        columns[place] = static_cast<std::int32_t>(row);
        body(e, row, column, place);
      }
  });
}

} // namespace weft
