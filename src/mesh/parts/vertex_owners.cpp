#include "mesh/parts/vertex_owners.h"

#include <algorithm>

#include "mesh/parts/piece_halo.h"

namespace weft {

namespace {

// Spreads numbers: which of two parts owns a vertex is no matter of where it lies.
std::uint32_t scrambled(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

// `parts`: of all cells that touch the vertex.
std::int32_t owner_among(std::vector<std::int32_t> &parts, std::uint32_t number) {
  std::sort(parts.begin(), parts.end());
  std::ptrdiff_t most = 0;
  std::vector<std::int32_t> candidates;
  for (auto first = parts.begin(); first != parts.end();) {
    const auto end = std::upper_bound(first, parts.end(), *first);
    if (end - first > most) {
      most = end - first;
      candidates.clear();
    }
    if (end - first == most)
      candidates.push_back(*first);
    first = end;
  }
  return candidates[scrambled(number) % candidates.size()];
}

} // namespace

std::vector<std::int32_t> vertex_owners(const MeshPiece &piece, const CellsOfVertices &cells,
                                        Communicator &ranks) {
  constexpr std::int32_t unknown = -2;
  std::vector<std::int32_t> owner(piece.mesh.num_nodes(), -1);
  std::vector<std::int32_t> parts;
  const std::vector<std::int32_t> lowest = lowest_images(piece, piece.mesh.periodic_master);
  for (std::int32_t cell = 0; cell < cells.num_cells(); ++cell)
    for (const std::int32_t vertex : cells.vertices_of(cell))
      owner[vertex] = unknown;
  // All cells around the vertices of own ones are here.
  for (std::int32_t cell = 0; cell < cells.num_cells(); ++cell)
    if (part_of(piece, cells, cell) == piece.part)
      for (const std::int32_t vertex : cells.vertices_of(cell)) {
        if (owner[vertex] != unknown)
          continue;
        parts.clear();
        for (const std::int32_t other : cells.cells_at(vertex))
          parts.push_back(part_of(piece, cells, other));
        owner[vertex] = owner_among(parts, lowest[vertex]);
      }
  PieceHalo(piece, cells)
      .tell(
          ranks,
          [&](std::int32_t cell, ByteWriter &writer) {
            for (const std::int32_t vertex : cells.vertices_of(cell))
              writer(owner[vertex]);
          },
          [&](std::int32_t cell, ByteReader &reader) {
            for (const std::int32_t vertex : cells.vertices_of(cell))
              reader(owner[vertex]);
          });
  return owner;
}

} // namespace weft
