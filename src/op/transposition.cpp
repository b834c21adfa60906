#include "op/transposition.h"

#include <utility>
#include <vector>

#include "base/parallel.h"

namespace weft {

// A thread a range of rows: where its entries of a column begin follows from how many the threads
// before it have.
Transposition transpose(const RowsView &rows, std::int64_t num_columns) {
  std::vector<std::vector<std::int32_t>> places(host_threads());
  parallel_ranges(rows.num_rows, [&](std::int64_t begin, std::int64_t end, int thread) {
    places[thread].assign(num_columns, 0);
    for (std::int64_t e = rows.start(begin); e < rows.start(end); ++e)
      ++places[thread][rows.columns[e]];
  });
  Transposition t;
  t.start.resize(num_columns + 1);
  std::int32_t next = t.start[0] = 0;
  for (std::int64_t column = 0; column < num_columns; ++column) {
    for (std::vector<std::int32_t> &of_thread : places)
      if (!of_thread.empty())
        next += std::exchange(of_thread[column], next);
    t.start[column + 1] = next;
  }
  t.columns.resize(next);
  t.entries.resize(next);
  parallel_ranges(rows.num_rows, [&](std::int64_t begin, std::int64_t end, int thread) {
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t e = rows.start(row); e < rows.start(row + 1); ++e) {
        const std::int32_t place = places[thread][rows.columns[e]]++;
        t.columns[place] = static_cast<std::int32_t>(row);
        t.entries[place] = static_cast<std::int32_t>(e);
      }
  });
  return t;
}

} // namespace weft
