// Signed volumes of cells from their vertices.
#pragma once

#include <cstdint>
#include <span>

#include "mesh/cell_type.h"

namespace weft {

struct CellSize {
  double volume = 0; // area in 2D; negative for a reversed cell
  double length = 0; // distance of vertex 0 from the vertex farthest from it
};

// `nodes` are the cell's nodes (vertices first), `coordinates` [node, stride] of which the first
// dimension(cell) columns are used. Curved edges count as straight, quadrilateral faces as
// bilinear.
CellSize cell_size(CellType cell, std::span<const std::int32_t> nodes, const double *coordinates,
                   int stride);

} // namespace weft
