#include "mesh/order/reverse_cuthill_mckee.h"

#include <algorithm>

namespace weft {

namespace {

// Breadth-first searches over one graph; visits are told apart by stamps, so that nothing is
// cleared between them.
class LevelSearch {
public:
  explicit LevelSearch(const CellAdjacency &adjacency)
      : adjacency_(adjacency), stamp_(adjacency.num_cells(), 0) {}

  bool seen(std::int32_t cell) const { return stamp_[cell] != 0; }
  // Appends the part of the graph that hangs together with `start`, in Cuthill and McKee's order.
  void append_levels(std::int32_t start, std::vector<std::int32_t> &cells);
  // A cell far from others: from `start` on, a cell of the last level with the lowest degree, as
  // long as that makes more levels.
  std::int32_t pseudo_peripheral(std::int32_t start);

private:
  std::int64_t degree(std::int32_t c) const {
    return adjacency_.offset[c + 1] - adjacency_.offset[c];
  }

  const CellAdjacency &adjacency_;
  std::vector<std::int32_t> stamp_;
  std::int32_t visit_ = 0;
  int levels_ = 0;             // of the last search
  std::size_t last_level_ = 0; // where its last level begins
  std::vector<std::int32_t> part_;
};

void LevelSearch::append_levels(std::int32_t start, std::vector<std::int32_t> &cells) {
  ++visit_;
  levels_ = 0;
  std::size_t next = cells.size();
  cells.push_back(start);
  stamp_[start] = visit_;
  while (next < cells.size()) {
    ++levels_;
    last_level_ = next;
    for (const std::size_t end = cells.size(); next < end; ++next) {
      const std::size_t first = cells.size();
      for (const std::int32_t neighbour : adjacency_.of(cells[next]))
        if (stamp_[neighbour] != visit_) {
          stamp_[neighbour] = visit_;
          cells.push_back(neighbour);
        }
      std::sort(cells.begin() + first, cells.end(), [&](std::int32_t a, std::int32_t b) {
        return degree(a) != degree(b) ? degree(a) < degree(b) : a < b;
      });
    }
  }
}

std::int32_t LevelSearch::pseudo_peripheral(std::int32_t start) {
  part_.clear();
  append_levels(start, part_);
  for (int before = 0; levels_ > before;) {
    before = levels_;
    const std::int32_t far = *std::min_element(
        part_.begin() + last_level_, part_.end(), [&](std::int32_t a, std::int32_t b) {
          return degree(a) != degree(b) ? degree(a) < degree(b) : a < b;
        });
    part_.clear();
    append_levels(far, part_);
    if (levels_ > before)
      start = far;
  }
  return start;
}

} // namespace

std::vector<std::int32_t> reverse_cuthill_mckee(const CellAdjacency &adjacency) {
  const auto num_cells = static_cast<std::int32_t>(adjacency.num_cells());
  LevelSearch search(adjacency);
  std::vector<std::int32_t> cells;
  cells.reserve(num_cells);
  for (std::int32_t c = 0; c < num_cells; ++c)
    if (!search.seen(c))
      search.append_levels(search.pseudo_peripheral(c), cells);
  std::reverse(cells.begin(), cells.end());
  return cells;
}

} // namespace weft
