// Unknowns on the points of a tensor-product grid.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace weft {

struct TensorGrid {
  std::array<std::int64_t, 3> size = {1, 1, 1}; // points along x, y, z
  int components = 1;                           // unknowns of a point
  std::vector<std::int32_t> unknowns;           // [z][y][x][component]

  std::int64_t num_unknowns() const { return size[0] * size[1] * size[2] * components; }
};

} // namespace weft
