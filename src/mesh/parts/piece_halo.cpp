#include "mesh/parts/piece_halo.h"

#include <map>
#include <set>

#include "base/error.h"

namespace weft {

PieceHalo::PieceHalo(const MeshPiece &piece, const CellsOfVertices &cells) {
  std::map<int, Shared> by_rank;
  std::set<std::int32_t> parts;
  for (std::int32_t cell = 0; cell < cells.num_cells(); ++cell) {
    if (const std::int32_t part = part_of(piece, cells, cell); part != piece.part) {
      by_rank[part].others.push_back(cell);
      continue;
    }
    parts.clear();
    for (const std::int32_t vertex : cells.vertices_of(cell))
      for (const std::int32_t other : cells.cells_at(vertex))
        if (const std::int32_t part = part_of(piece, cells, other); part != piece.part)
          parts.insert(part);
    for (const std::int32_t part : parts)
      by_rank[part].own.push_back(cell);
  }
  for (auto &[rank, shared] : by_rank) {
    shared.rank = rank;
    shared_.push_back(std::move(shared));
  }
}

void PieceHalo::tell(Communicator &ranks,
                     const std::function<void(std::int32_t, ByteWriter &)> &write,
                     const std::function<void(std::int32_t, ByteReader &)> &read) const {
  std::vector<Parcel> parcels;
  for (const Shared &shared : shared_) {
    ByteWriter writer;
    for (const std::int32_t cell : shared.own)
      write(cell, writer);
    parcels.push_back({shared.rank, writer.take()});
  }
  const std::vector<Parcel> arrived = ranks.deliver(std::move(parcels));
  require(arrived.size() == shared_.size(), "ranks that share cells tell each other of them");
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    require(arrived[i].rank == shared_[i].rank, "ranks that share cells know it of each other");
    ByteReader reader(arrived[i].bytes);
    for (const std::int32_t cell : shared_[i].others)
      read(cell, reader);
    require(reader.at_end(), "ranks tell of the same cells");
  }
}

} // namespace weft
