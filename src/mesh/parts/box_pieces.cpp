#include "mesh/parts/box_pieces.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "mesh/build/assemble_cells.h"
#include "mesh/build/box.h"
#include "mesh/build/periodic.h"
#include "mesh/build/topology.h"
#include "mesh/parts/piece_cutter.h"

namespace weft {

namespace {

std::int64_t num_boxes(const Brick &brick) {
  std::int64_t count = 1;
  for (int d = 0; d < 3; ++d)
    count *= brick.high[d] - brick.low[d];
  return count;
}

// Across the direction with the most layers, in the ratio of the halves of the parts.
void bisect(const Brick &brick, int num_parts, std::vector<Brick> &bricks) {
  if (num_parts == 1)
    return bricks.push_back(brick);
  int direction = 0;
  for (int d = 1; d < 3; ++d)
    if (brick.high[d] - brick.low[d] > brick.high[direction] - brick.low[direction])
      direction = d;
  const int low_parts = num_parts / 2;
  const std::int64_t layers = brick.high[direction] - brick.low[direction];
  Brick low = brick, high = brick;
  low.high[direction] = high.low[direction] =
      brick.low[direction] + (2 * layers * low_parts + num_parts) / (2 * num_parts);
  bisect(low, low_parts, bricks);
  bisect(high, num_parts - low_parts, bricks);
}

bool is_in(const Brick &brick, const std::array<std::int64_t, 3> &at) {
  for (int d = 0; d < 3; ++d)
    if (at[d] < brick.low[d] || at[d] >= brick.high[d])
      return false;
  return true;
}

// Those of the brick, and one more on each side.
BoxLayers layers_around(const BoxSpec &box, const Brick &brick) {
  BoxLayers layers;
  for (int d = 0; d < 3; ++d) {
    const std::int64_t all = d < box.dim ? box.cells[d] : 1;
    for (std::int64_t layer = brick.low[d] - 1; layer <= brick.high[d]; ++layer) {
      if (layer >= 0 && layer < all)
        layers[d].push_back(layer);
      else if (d < box.dim && box.periodic[d])
        layers[d].push_back((layer + all) % all);
    }
    std::sort(layers[d].begin(), layers[d].end());
    layers[d].erase(std::unique(layers[d].begin(), layers[d].end()), layers[d].end());
  }
  return layers;
}

// Facets at the end of the layers are on no side of the box; sides are numbered alike everywhere.
void keep_sides(const BoxSpec &box, Mesh &mesh) {
  const std::vector<GroupClass> found = std::move(mesh.facet_classes);
  mesh.facet_classes = {GroupClass{}};
  for (int d = 0; d < box.dim; ++d)
    for (const char *end : {"0", "1"})
      mesh.facet_classes.push_back({{std::string(1, "xyz"[d]) + end}});
  std::vector<std::int32_t> number(found.size(), 0);
  for (std::size_t c = 0; c < found.size(); ++c)
    if (!found[c].groups.empty())
      number[c] = find_class(mesh.facet_classes, found[c].groups);
  for (Facet &facet : mesh.facets)
    facet.facet_class = number[facet.facet_class];
  require(mesh.num_boundary_facets == static_cast<std::int64_t>(mesh.facets.size()),
          "sides are at the end of a box");
  std::erase_if(mesh.facets, [](const Facet &facet) { return facet.facet_class == 0; });
  mesh.num_boundary_facets = static_cast<std::int64_t>(mesh.facets.size());
}

} // namespace

std::optional<std::vector<Brick>> cut_box(const BoxSpec &box, int num_parts) {
  Brick whole;
  for (int d = 0; d < box.dim; ++d)
    whole.high[d] = box.cells[d];
  std::vector<Brick> bricks;
  bisect(whole, num_parts, bricks);
  const double share = static_cast<double>(num_boxes(whole)) / num_parts;
  if (std::any_of(bricks.begin(), bricks.end(), [&](const Brick &brick) {
        return std::abs(static_cast<double>(num_boxes(brick)) - share) > 0.03 * share;
      }))
    return {};
  return bricks;
}

MeshPiece make_box_piece(const BoxSpec &box, double scale, const std::vector<Brick> &bricks,
                         int part) {
  PartOfBox around = make_part_of_box(box, layers_around(box, bricks[part]));
  MeshPiece piece;
  piece.part = part;
  piece.num_parts = static_cast<int>(bricks.size());
  piece.mesh = assemble_cells(around.raw, 1, scale);
  find_facets(piece.mesh, around.raw);
  keep_sides(box, piece.mesh);
  piece.links = std::move(around.raw.periodic);
  piece.mesh.periodic_master = joined_nodes(piece.links);
  piece.whole_nodes = std::move(around.whole_nodes);
  piece.num_whole_nodes = around.num_whole_nodes;
  MeshPiece::Cells &cells = piece.cells.emplace_back();
  cells.num_whole = around.cells_per_box;
  for (int d = 0; d < box.dim; ++d)
    cells.num_whole *= box.cells[d];
  for (const auto &at : around.boxes) {
    const auto of = std::find_if(bricks.begin(), bricks.end(),
                                 [&](const Brick &brick) { return is_in(brick, at); });
    std::int64_t number = 0;
    for (int d = box.dim - 1; d >= 0; --d)
      number = number * box.cells[d] + at[d];
    for (int k = 0; k < around.cells_per_box; ++k) {
      cells.whole.push_back(static_cast<std::int32_t>(number * around.cells_per_box + k));
      cells.part.push_back(static_cast<std::int32_t>(of - bricks.begin()));
    }
  }
  return PieceCutter(piece).piece(part);
}

} // namespace weft
