// What a rank has of a mesh while it is refined and before its cells are put in order.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "mesh/mesh.h"
#include "mesh/raw_mesh.h"

namespace weft {

// The cells of a part, and all that touch a vertex of them (vertices that periodicity makes one are
// one); or the whole mesh, of which such pieces are cut.
struct MeshPiece {
  struct Cells {
    std::vector<std::int32_t> whole; // [cell]: its number in the set of the whole mesh, ascending
    std::vector<std::int32_t> part;  // [cell]
    std::int64_t num_whole = 0;      // cells of the set in the whole mesh
  };
  // Its facets are those of the whole mesh that its cells have; sets may be empty.
  Mesh mesh;
  std::vector<Cells> cells;              // parallel to Mesh::sets
  std::vector<std::int32_t> whole_nodes; // [node]: its number in the whole mesh
  std::int64_t num_whole_nodes = 0;
  std::vector<PeriodicLink> links; // between vertices that are here
  int part = 0, num_parts = 1;
};

// A whole mesh, its facets found. `links`: its periodic ones. `part`: [cell of all sets].
MeshPiece whole_piece(Mesh whole, std::vector<PeriodicLink> links,
                      const std::vector<std::int32_t> &part, int num_parts);

// [node]: the lowest number in the whole mesh of the nodes that are one with it, as far as they are
// here: all are of nodes of own cells. `joined`: as joined_nodes() makes it.
std::vector<std::int32_t> lowest_images(const MeshPiece &piece,
                                        const std::map<std::int32_t, std::int32_t> &joined);

} // namespace weft
