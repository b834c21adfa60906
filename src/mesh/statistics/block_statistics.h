// What blocks cost: how many of their nodes they share with others.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/mesh.h"

namespace weft {

// Figures for blocks of `merged` consecutive leaves, over all sets of cells.
struct BlockStatistics {
  int merged = 1;
  std::int64_t num_blocks = 0;
  std::int64_t smallest_cells = 0, largest_cells = 0; // cells of a block
  std::int64_t largest_nodes = 0;                     // nodes of a block
  std::int64_t block_nodes = 0;                       // nodes of all blocks, shared ones repeated
  std::int64_t shared_nodes = 0;                      // nodes in more than one block
  // Share of the mesh's nodes that are in more than one block: 0 to 1.
  double shared_share(const Mesh &mesh) const {
    return static_cast<double>(shared_nodes) / static_cast<double>(mesh.num_nodes());
  }
  // How often a node is in a block, on average: 1 and up.
  double repetition(const Mesh &mesh) const {
    return static_cast<double>(block_nodes) / static_cast<double>(mesh.num_nodes());
  }
};

BlockStatistics block_statistics(const Mesh &mesh, int merged);

} // namespace weft
