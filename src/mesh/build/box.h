// Meshes of a box.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "case/mesh_spec.h"
#include "mesh/mesh_levels.h"
#include "mesh/raw_mesh.h"

namespace weft {

// Region "box", facet groups x0 x1 y0 y1 z0 z1 (the sides at the low and at the high end).
//
// A box cell is one quadrilateral or hexahedron, two triangles, two prisms (cut along z), six
// tetrahedra (Kuhn's) or six pyramids with a common apex in the middle; the cut is the same in
// every box cell, so that opposite sides fit for periodicity. `distort` moves every inner node by
// up to that share of a box cell, by a hash of its number: the same on every machine. Throws an
// input error for a spec that makes no sense, naming the key.
RawMesh make_box(const BoxSpec &spec);

// The box cells of a part of a box: those that are in these layers in all directions, [direction],
// ascending; in the plane, layer 0 of the third direction.
using BoxLayers = std::array<std::vector<std::int64_t>, 3>;

// Some box cells of a box: its cells, sides and periodic pairs as make_box() has them.
struct PartOfBox {
  RawMesh raw;
  std::vector<std::int32_t> whole_nodes; // [node of raw]: its number in make_box(), ascending
  std::vector<std::array<std::int64_t, 3>> boxes; // [box cell]: its place in the grid
  int cells_per_box = 1;                          // mesh cells, that follow one another
  std::int64_t num_whole_nodes = 0;
};
PartOfBox make_part_of_box(const BoxSpec &spec, const BoxLayers &layers);

// The box with half the cells in each direction, not distorted; none where a number of cells is odd
// or a periodic direction would have less than three.
std::optional<BoxSpec> coarser_box(const BoxSpec &spec);
// Parents of the nodes of make_box(spec) in those of make_box(*coarser_box(spec)).
VertexParents box_parents(const BoxSpec &spec);

} // namespace weft
