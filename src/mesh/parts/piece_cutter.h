// Pieces cut out of larger ones.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/order/subgraph.h"
#include "mesh/parts/cells_of_vertices.h"
#include "mesh/parts/mesh_piece.h"

namespace weft {

class PieceCutter {
public:
  // `from`: has all cells that the pieces are made of, in the order of the whole mesh; its nodes
  // may be in any order. Must outlive the cutter.
  explicit PieceCutter(const MeshPiece &from);
  // Of a part: nodes ascend by their number in the whole mesh.
  MeshPiece piece(std::int32_t part);

private:
  std::vector<std::int32_t> cells_of_piece(std::int32_t part);
  void take_cells(const std::vector<std::int32_t> &cells, MeshPiece &piece);
  void take_nodes(MeshPiece &piece);
  void take_periodic(MeshPiece &piece) const;

  const MeshPiece &from_;
  CellsOfVertices cells_;
  CellGroups cells_of_part_;
  // While a piece is made; all -1 in between.
  std::vector<std::int32_t> place_of_cell_; // [cell]: in its set of the piece
  std::vector<std::int32_t> place_of_node_; // [node]
  std::vector<std::int32_t> taken_nodes_;
};

} // namespace weft
