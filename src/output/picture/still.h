// A picture drawn without a graphics card: for pages without WebGL.
#pragma once

#include <cstdint>
#include <vector>

#include "output/picture/picture.h"

namespace weft {

struct Still {
  std::vector<std::uint8_t> pixels; // RGBA on nothing, [row][column][channel]
  ValueRange range;                 // of its colours
};

// The surface, coloured by a column of its values (a field's magnitude where it has several
// components) at the last time. The view is that
// which the page begins with: of 3D grids from above, the front and the right; of 2D grids flat.
Still draw_still(const Picture &picture, std::size_t field, int width, int height);

} // namespace weft
