// How long ago a cache saw the lines that a sum over neighbours reads, counted on a mesh.
#pragma once

#include <cstdint>

#include "cost/line_reuse.h"
#include "mesh/order/cell_adjacency.h"

namespace weft {

// `line_cells`: entries of x in a line.
LineReuse line_reuse(const CellAdjacency &adjacency, int line_cells);
// Counts for blocks of consecutive cells that first copy each entry of x they need, their own and
// then others' in ascending order, to a stage that they compute from.
struct BlockReuse {
  LineReuse copied;           // of x; `neighbours`: lines of entries outside of the block
  LineReuse stage;            // of the stage, by a block's cells one after the other
  double outside_entries = 0; // a cell
};
BlockReuse block_line_reuse(const CellAdjacency &adjacency, int line_cells,
                            std::int64_t block_cells);

} // namespace weft
