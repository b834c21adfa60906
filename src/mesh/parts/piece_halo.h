// What ranks know of their own cells, told to those that have these cells beside theirs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mesh/parts/cells_of_vertices.h"
#include "mesh/parts/mesh_piece.h"
#include "ranks/bytes.h"
#include "ranks/communicator.h"

namespace weft {

// The part that a cell of the piece is of. `cells`: of the piece's mesh; `cell`: in its row.
inline std::int32_t part_of(const MeshPiece &piece, const CellsOfVertices &cells,
                            std::int32_t cell) {
  const std::size_t s = cells.set_of(cell);
  return piece.cells[s].part[cell - cells.first(s)];
}

class PieceHalo {
public:
  // `cells`: of the piece's mesh.
  PieceHalo(const MeshPiece &piece, const CellsOfVertices &cells);

  // All: writes each cell that another rank has, reads each that is another's. `cell`: in the row
  // of all sets.
  void tell(Communicator &ranks, const std::function<void(std::int32_t cell, ByteWriter &)> &write,
            const std::function<void(std::int32_t cell, ByteReader &)> &read) const;

private:
  // Ascending by their numbers in the whole mesh, on both ranks.
  struct Shared {
    int rank = 0;
    std::vector<std::int32_t> own, others;
  };
  std::vector<Shared> shared_; // ascending by rank
};

} // namespace weft
