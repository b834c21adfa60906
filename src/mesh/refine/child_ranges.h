// Where the children of cells are in the sets of a refined mesh.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/mesh.h"
#include "mesh/refine/cell_children.h"

namespace weft {

// The children of one type that the cells of a set have: `each` of a cell, one after the other,
// cell after cell from `first`.
struct ChildRange {
  std::int32_t set = 0; // of the refined mesh
  std::int64_t first = 0;
  int each = 0;
};

// [set]: ranges of the children of sets of so many cells, in the order of refine(). Sets may be
// empty. `num_cells`: [set].
std::vector<std::vector<ChildRange>> child_ranges(std::span<const CellType> types,
                                                  std::span<const std::int64_t> num_cells);
std::vector<std::vector<ChildRange>> child_ranges(const Mesh &coarse);

} // namespace weft
