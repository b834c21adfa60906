#include "mesh/statistics/order_statistics.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace weft {

BlockShare block_share(const CellAdjacency &adjacency, std::span<const std::int64_t> block_offset) {
  BlockShare share;
  share.num_blocks = static_cast<std::int64_t>(block_offset.size()) - 1;
  share.entries = adjacency.num_entries();
  for (std::int64_t b = 0; b < share.num_blocks; ++b) {
    const std::int64_t begin = block_offset[b], end = block_offset[b + 1], cells = end - begin;
    share.smallest_cells = b == 0 ? cells : std::min(share.smallest_cells, cells);
    share.largest_cells = std::max(share.largest_cells, cells);
    for (std::int64_t i = adjacency.offset[begin]; i < adjacency.offset[end]; ++i)
      share.outside += adjacency.neighbours[i] < begin || adjacency.neighbours[i] >= end;
  }
  return share;
}

std::vector<std::int64_t> even_blocks(std::int64_t num_cells, std::int64_t block_cells) {
  require(block_cells >= 1, "blocks have cells");
  std::vector<std::int64_t> offset;
  for (std::int64_t begin = 0; begin < num_cells; begin += block_cells)
    offset.push_back(begin);
  offset.push_back(num_cells);
  return offset;
}

double lines_of_x(const CellAdjacency &adjacency, const LineReads &reads) {
  const std::int64_t num_cells = adjacency.num_cells();
  if (num_cells == 0)
    return 0;
  const std::int64_t entries = std::max(1, reads.line_bytes / reads.value_bytes); // in a line
  const std::int64_t never = -reads.window_cells - 1;
  std::vector<std::int64_t> last_read((num_cells + entries - 1) / entries, never); // [line]: cell
  std::int64_t lines = 0;
  const auto read = [&](std::int64_t place, std::int64_t cell) {
    std::int64_t &last = last_read[place / entries];
    lines += cell - last > reads.window_cells;
    last = cell;
  };
  for (std::int64_t c = 0; c < num_cells; ++c) {
    read(c, c);
    for (const std::int32_t neighbour : adjacency.of(c))
      read(neighbour, c);
  }
  return static_cast<double>(lines) / static_cast<double>(num_cells);
}

double line_accesses(const CellAdjacency &adjacency, const LineReads &reads) {
  return reads.streamed_lines() + lines_of_x(adjacency, reads);
}

// Expected lines that are not remembered, read by read. Behind a cell lie m cells of its block that
// the cache remembers, at most the window. A line of the block was missed by each random read since
// with the probability 1 - 1/lines; the cells' own lines, one after the other, are known.
double ideal_line_accesses(double block_cells, const LineReads &reads) {
  const double entries = std::max(1, reads.line_bytes / reads.value_bytes);
  const double lines = std::max(1.0, block_cells / entries);
  const double missed = 1 - 1 / lines;
  double of_cell = 0, of_slots = 0; // of x, of all cells of the block
  const auto add = [&](double behind, double cells, double first_in_line) {
    const double own_lines = std::floor(behind / entries) + 1;
    double untouched = std::pow(missed, reads.width * behind);
    of_cell += cells * first_in_line * untouched;
    for (int slot = 0; slot < reads.width; ++slot, untouched *= missed)
      of_slots += cells * untouched * std::max(0.0, 1 - own_lines / lines);
  };
  const double window = static_cast<double>(reads.window_cells);
  for (double behind = 0; behind < std::min(window, block_cells); ++behind)
    add(behind, 1, std::fmod(behind, entries) == 0);
  if (block_cells > window)
    add(window, block_cells - window, 1 / entries);
  return reads.streamed_lines() + (of_cell + of_slots) / block_cells;
}

double effective_block_size(double line_accesses, std::int64_t num_cells, const LineReads &reads) {
  double low = std::log2(static_cast<double>(std::max<std::int64_t>(1, reads.window_cells)));
  double high = std::log2(static_cast<double>(std::max<std::int64_t>(1, num_cells)));
  if (high <= low)
    return std::exp2(high);
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (ideal_line_accesses(std::exp2(middle), reads) < line_accesses ? low : high) = middle;
  }
  return std::exp2(high);
}

} // namespace weft
