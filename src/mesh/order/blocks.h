// The final order of the cells: leaf blocks by recursive bisection.
//
// Why this and not a METIS partition: docs/decisions/0001-blocks.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/mesh.h"

namespace weft {

// Reorders the cells of every set into leaves of exactly `leaf_cells` cells (the last may be
// smaller) and fills leaf_offset; CellSet::canonical keeps the order that there was. A range of n
// leaves is cut into the largest power of two below n and the rest, across its longest extent, so
// that 2^m consecutive leaves from a multiple of 2^m are a part of the tree, hence compact. The
// result does not depend on the number of threads.
void order_cells(Mesh &mesh, int leaf_cells);

// The given cells of a set in that order.
std::vector<std::int32_t> ordered_cells(const Mesh &mesh, const CellSet &set,
                                        std::span<const std::int32_t> cells, int leaf_cells);

} // namespace weft
