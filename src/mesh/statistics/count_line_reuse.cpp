#include "mesh/statistics/count_line_reuse.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace weft {

namespace {

constexpr std::int64_t never = -1;

int bin_of(std::int64_t cells) {
  return std::min<int>(LineReuse::num_bins - 1, std::bit_width(static_cast<std::uint64_t>(cells)));
}

// Lines and when each was read last.
class Lines {
public:
  Lines(std::int64_t num_cells, int line_cells)
      : line_cells_(line_cells), last_((num_cells + line_cells - 1) / line_cells, never) {}
  void read(std::int64_t place, std::int64_t now, std::array<double, LineReuse::num_bins> &again,
            double &first) {
    std::int64_t &last = last_[place / line_cells_];
    if (last == never)
      first += 1;
    else
      again[bin_of(now - last)] += 1;
    last = now;
  }

private:
  int line_cells_;
  std::vector<std::int64_t> last_; // [line]
};

LineReuse per_cell(LineReuse reuse, std::int64_t num_cells) {
  const double cells = static_cast<double>(std::max<std::int64_t>(1, num_cells));
  for (auto *bins : {&reuse.neighbours, &reuse.own})
    for (double &count : *bins)
      count /= cells;
  reuse.first_neighbours /= cells;
  reuse.first_own /= cells;
  return reuse;
}

} // namespace

LineReuse line_reuse(const CellAdjacency &adjacency, int line_cells) {
  const std::int64_t num_cells = adjacency.num_cells();
  LineReuse reuse;
  Lines lines(num_cells, line_cells);
  for (std::int64_t c = 0; c < num_cells; ++c) {
    lines.read(c, c, reuse.own, reuse.first_own);
    for (const std::int32_t neighbour : adjacency.of(c))
      lines.read(neighbour, c, reuse.neighbours, reuse.first_neighbours);
  }
  return per_cell(reuse, num_cells);
}

BlockReuse block_line_reuse(const CellAdjacency &adjacency, int line_cells,
                            std::int64_t block_cells) {
  const std::int64_t num_cells = adjacency.num_cells();
  BlockReuse reuse;
  Lines lines(num_cells, line_cells);
  std::vector<std::int32_t> outside;
  std::int64_t entries = 0;
  for (std::int64_t begin = 0; begin < num_cells; begin += block_cells) {
    const std::int64_t end = std::min(begin + block_cells, num_cells);
    for (std::int64_t c = begin; c < end; c += line_cells)
      lines.read(c, begin, reuse.copied.own, reuse.copied.first_own);
    const auto is_outside = [&](std::int32_t cell) { return cell < begin || cell >= end; };
    outside.clear();
    for (std::int64_t c = begin; c < end; ++c)
      for (const std::int32_t neighbour : adjacency.of(c))
        if (is_outside(neighbour))
          outside.push_back(neighbour);
    std::sort(outside.begin(), outside.end());
    outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
    entries += static_cast<std::int64_t>(outside.size());
    for (std::size_t i = 0; i < outside.size(); ++i)
      if (i == 0 || outside[i] / line_cells != outside[i - 1] / line_cells)
        lines.read(outside[i], begin, reuse.copied.neighbours, reuse.copied.first_neighbours);
    Lines stage(end - begin + static_cast<std::int64_t>(outside.size()), line_cells);
    for (std::int64_t c = begin; c < end; ++c) {
      stage.read(c - begin, c, reuse.stage.own, reuse.stage.first_own);
      for (const std::int32_t neighbour : adjacency.of(c)) {
        std::int64_t place = neighbour - begin;
        if (is_outside(neighbour))
          place = end - begin +
                  (std::lower_bound(outside.begin(), outside.end(), neighbour) - outside.begin());
        stage.read(place, c, reuse.stage.neighbours, reuse.stage.first_neighbours);
      }
    }
  }
  reuse.copied = per_cell(reuse.copied, num_cells);
  reuse.stage = per_cell(reuse.stage, num_cells);
  reuse.outside_entries =
      static_cast<double>(entries) / static_cast<double>(std::max<std::int64_t>(1, num_cells));
  return reuse;
}

} // namespace weft
