#include "mesh/refine/child_ranges.h"

#include <algorithm>

namespace weft {

std::vector<std::vector<ChildRange>> child_ranges(std::span<const CellType> types,
                                                  std::span<const std::int64_t> num_cells) {
  std::vector<std::vector<ChildRange>> ranges;
  std::vector<CellType> fine_types;
  std::vector<std::int64_t> fine_cells; // so far
  for (std::size_t s = 0; s < types.size(); ++s) {
    std::vector<ChildRange> &of_set = ranges.emplace_back();
    for (const CellChild &child : cell_children(types[s])) {
      const auto set = static_cast<std::int32_t>(
          std::find(fine_types.begin(), fine_types.end(), child.type) - fine_types.begin());
      if (set == static_cast<std::int32_t>(fine_types.size())) {
        fine_types.push_back(child.type);
        fine_cells.push_back(0);
      }
      const auto range = std::find_if(of_set.begin(), of_set.end(),
                                      [&](const ChildRange &known) { return known.set == set; });
      if (range == of_set.end())
        of_set.push_back({set, fine_cells[set], 1});
      else
        ++range->each;
    }
    for (const ChildRange &range : of_set)
      fine_cells[range.set] += num_cells[s] * range.each;
  }
  return ranges;
}

std::vector<std::vector<ChildRange>> child_ranges(const Mesh &coarse) {
  std::vector<CellType> types;
  std::vector<std::int64_t> num_cells;
  for (const CellSet &set : coarse.sets) {
    types.push_back(set.type);
    num_cells.push_back(set.num_cells());
  }
  return child_ranges(types, num_cells);
}

} // namespace weft
