// Facets of quadrilaterals and hexahedra, each looked at in a frame of its own.
#pragma once

#include <array>

#include "mesh/cell_type.h"

namespace weft {

// A direction of a frame in those of the cell's reference coordinates, which lie in [0, 1].
struct FrameDirection {
  int direction = 0;
  bool reversed = false; // it is 1 - the cell's coordinate
};

// [direction of the frame], as many as the cell has.
using FacetFrame = std::array<FrameDirection, 3>;

// A right-handed frame whose last coordinate is 0 on the local facet and grows into the cell, so
// that all facets look alike in their frames.
FacetFrame facet_frame(CellType cell, int facet);

} // namespace weft
