#include "mesh/parts/finer_piece.h"

#include <utility>

#include "mesh/build/periodic.h"
#include "mesh/build/raise_order.h"
#include "mesh/parts/number_new_nodes.h"
#include "mesh/parts/piece_cutter.h"
#include "mesh/refine/refine.h"

namespace weft {

namespace {

// `children`: in the piece; `in_whole`: in the whole mesh.
std::vector<MeshPiece::Cells>
cells_of_children(const MeshPiece &piece, std::size_t num_sets,
                  const std::vector<std::vector<ChildRange>> &in_whole) {
  std::vector<MeshPiece::Cells> fine(num_sets);
  for (std::size_t s = 0; s < piece.cells.size(); ++s)
    for (const ChildRange &range : in_whole[s]) {
      MeshPiece::Cells &to = fine[range.set];
      to.num_whole += piece.cells[s].num_whole * range.each;
      for (std::size_t c = 0; c < piece.cells[s].whole.size(); ++c)
        for (int k = 0; k < range.each; ++k) {
          to.whole.push_back(static_cast<std::int32_t>(
              range.first + std::int64_t{piece.cells[s].whole[c]} * range.each + k));
          to.part.push_back(piece.cells[s].part[c]);
        }
    }
  return fine;
}

// Each cell is its own child.
std::vector<std::vector<ChildRange>> same_cells(const Mesh &mesh) {
  std::vector<std::vector<ChildRange>> ranges;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s)
    ranges.push_back({{static_cast<std::int32_t>(s), 0, 1}});
  return ranges;
}

} // namespace

MeshPiece refined_piece(const MeshPiece &piece, Communicator &ranks) {
  std::vector<CellType> types;
  std::vector<std::int64_t> num_whole;
  for (std::size_t s = 0; s < piece.cells.size(); ++s) {
    types.push_back(piece.mesh.sets[s].type);
    num_whole.push_back(piece.cells[s].num_whole);
    check_can_be_refined(types[s], num_whole[s], piece.mesh.geometry_order);
  }
  MeshPiece fine;
  fine.part = piece.part;
  fine.num_parts = piece.num_parts;
  fine.mesh = piece.mesh;
  RawMesh raw;
  raw.periodic = piece.links;
  refine(fine.mesh, raw);
  fine.links = std::move(raw.periodic);
  fine.mesh.periodic_master = joined_nodes(fine.links);
  fine.cells = cells_of_children(piece, fine.mesh.sets.size(), child_ranges(types, num_whole));
  number_new_nodes(piece, child_ranges(piece.mesh), fine, ranks);
  return PieceCutter(fine).piece(fine.part);
}

MeshPiece raised_piece(const MeshPiece &piece, Communicator &ranks) {
  MeshPiece raised = piece;
  raise_order(raised.mesh);
  number_new_nodes(piece, same_cells(piece.mesh), raised, ranks);
  return PieceCutter(raised).piece(raised.part);
}

} // namespace weft
