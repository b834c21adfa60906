#include "solve/approximate/elimination_order.h"

#include <algorithm>

#include "mesh/order/reverse_cuthill_mckee.h"

namespace weft {

namespace {

// Unknowns in place of cells.
CellAdjacency graph_of(const HostMatrix &matrix) {
  const std::int32_t num_rows = matrix.num_rows();
  CellAdjacency graph;
  const auto over_entries = [&](const auto &body) {
    for (std::int32_t row = 0; row < num_rows; ++row)
      for (std::int32_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e)
        if (matrix.values[e] != 0 && matrix.columns[e] != row)
          body(row, matrix.columns[e]);
  };
  std::vector<std::int64_t> count(num_rows + 1, 0);
  over_entries([&](std::int32_t row, std::int32_t column) {
    ++count[row + 1];
    ++count[column + 1];
  });
  for (std::int32_t row = 0; row < num_rows; ++row)
    count[row + 1] += count[row];
  std::vector<std::int32_t> both(count[num_rows]);
  std::vector<std::int64_t> next(count.begin(), count.end() - 1);
  over_entries([&](std::int32_t row, std::int32_t column) {
    both[next[row]++] = column;
    both[next[column]++] = row;
  });
  graph.offset.reserve(num_rows + 1);
  graph.neighbours.reserve(both.size() / 2);
  for (std::int32_t row = 0; row < num_rows; ++row) {
    const auto begin = both.begin() + count[row], end = both.begin() + count[row + 1];
    std::sort(begin, end);
    graph.neighbours.insert(graph.neighbours.end(), begin, std::unique(begin, end));
    graph.offset.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
  }
  return graph;
}

} // namespace

std::vector<std::int32_t> elimination_order(const HostMatrix &matrix) {
  return reverse_cuthill_mckee(graph_of(matrix));
}

} // namespace weft
