// Orders of cells: where the cells of a mesh lie in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mesh/order/cell_adjacency.h"

namespace weft {

//   natural  as the cells come
//   random   the same in every run
//   rcm      reverse Cuthill-McKee
//   curve    along Hilbert's curve through the cells' centres
//   blocks   a partition by METIS into blocks, in reverse Cuthill-McKee order between the blocks
//            and inside each
enum class CellOrder { natural, random, rcm, curve, blocks };
std::string to_string(CellOrder order);
std::vector<std::string> cell_order_names();
// Throws an input error that lists the names.
CellOrder cell_order_from_name(const std::string &name);

struct CellOrdering {
  std::vector<std::int32_t> cells; // [place]: the cell there
  // Positions block_offset[b] .. block_offset[b + 1] - 1 are block b of the order `blocks`; empty
  // for the others.
  std::vector<std::int64_t> block_offset;
};

// `centres`: [cell, dim], read for the order `curve` only. `block_cells` >= 1: of a block, about,
// read for `blocks` only. Does not depend on the number of threads.
CellOrdering cell_order(CellOrder order, const CellAdjacency &adjacency,
                        std::span<const double> centres, int dim, std::int64_t block_cells);

} // namespace weft
