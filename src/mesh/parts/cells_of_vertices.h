// The cells of a mesh in a row, and which of them touch a vertex.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/mesh.h"

namespace weft {

// Cells of all sets in a row: those of set s begin at first(s). Vertices that periodicity makes one
// are one. The mesh must outlive it.
class CellsOfVertices {
public:
  explicit CellsOfVertices(const Mesh &mesh);

  std::int32_t num_cells() const { return first_.back(); }
  std::int32_t first(std::size_t set) const { return first_[set]; }
  std::size_t set_of(std::int32_t cell) const {
    std::size_t set = 0;
    while (cell >= first_[set + 1])
      ++set;
    return set;
  }
  std::span<const std::int32_t> vertices_of(std::int32_t cell) const;
  // The node that stands for all that are one with it.
  std::int32_t master(std::int32_t node) const { return master_[node]; }
  // Ascending; the same for all vertices that are one.
  std::span<const std::int32_t> cells_at(std::int32_t vertex) const {
    const std::int64_t begin = first_of_vertex_[master_[vertex]];
    return {&cells_[begin],
            static_cast<std::size_t>(first_of_vertex_[master_[vertex] + 1] - begin)};
  }

private:
  const Mesh &mesh_;
  std::vector<std::int32_t> first_;           // [set + 1]
  std::vector<std::int32_t> master_;          // [node]
  std::vector<std::int64_t> first_of_vertex_; // [master + 1]
  std::vector<std::int32_t> cells_;
};

} // namespace weft
