// Pieces of a box, each made by its rank alone.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "case/mesh_spec.h"
#include "mesh/parts/mesh_piece.h"

namespace weft {

// Box cells from `low` to below `high` in each direction; [part], each within three hundredths of
// an equal share of them. Nothing where the box has too few layers for that.
struct Brick {
  std::array<std::int64_t, 3> low = {0, 0, 0}, high = {1, 1, 1};
};
std::optional<std::vector<Brick>> cut_box(const BoxSpec &box, int num_parts);

// The piece of the box with linear geometry that belongs to a part. Classes of facets are numbered
// in the order of x0, x1, y0, ...
MeshPiece make_box_piece(const BoxSpec &box, double scale, const std::vector<Brick> &bricks,
                         int part);

} // namespace weft
