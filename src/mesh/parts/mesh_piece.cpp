#include "mesh/parts/mesh_piece.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "mesh/build/periodic.h"

namespace weft {

MeshPiece whole_piece(Mesh whole, std::vector<PeriodicLink> links,
                      const std::vector<std::int32_t> &part, int num_parts) {
  require(static_cast<std::int64_t>(part.size()) == whole.num_cells(), "each cell has a part");
  MeshPiece piece;
  auto of_set = part.begin();
  for (const CellSet &set : whole.sets) {
    MeshPiece::Cells &cells = piece.cells.emplace_back();
    cells.num_whole = set.num_cells();
    cells.whole.resize(set.num_cells());
    std::iota(cells.whole.begin(), cells.whole.end(), 0);
    cells.part.assign(of_set, of_set + set.num_cells());
    of_set += set.num_cells();
  }
  piece.num_whole_nodes = whole.num_nodes();
  piece.whole_nodes.resize(whole.num_nodes());
  std::iota(piece.whole_nodes.begin(), piece.whole_nodes.end(), 0);
  piece.mesh = std::move(whole);
  piece.mesh.periodic_master = joined_nodes(links);
  piece.links = std::move(links);
  piece.num_parts = num_parts;
  return piece;
}

std::vector<std::int32_t> lowest_images(const MeshPiece &piece,
                                        const std::map<std::int32_t, std::int32_t> &joined) {
  std::vector<std::int32_t> lowest = piece.whole_nodes;
  for (const auto &[node, master] : joined)
    lowest[master] = std::min(lowest[master], piece.whole_nodes[node]);
  for (const auto &[node, master] : joined)
    lowest[node] = lowest[master];
  return lowest;
}

} // namespace weft
