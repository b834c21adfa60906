// Numbers for the vertices, edges and faces that cells share, in the order in which they are met.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mesh/mesh.h"
#include "space/element.h"

namespace weft {

// Sorts a handful of values in place: insertion sort.
template <typename T, typename Less> void sort_few(std::span<T> values, Less less) {
  for (std::size_t i = 1; i < values.size(); ++i)
    for (std::size_t j = i; j > 0 && less(values[j], values[j - 1]); --j)
      std::swap(values[j], values[j - 1]);
}

// Mesh vertices, those made one by periodicity with one number.
class VertexNumbering {
public:
  VertexNumbering(const Mesh &mesh, bool periodic);
  std::int32_t find_or_add(std::int32_t mesh_node);
  std::int32_t size() const { return static_cast<std::int32_t>(mesh_nodes_.size()); }
  // The mesh node of each vertex: the master of periodic ones.
  const std::vector<std::int32_t> &mesh_nodes() const { return mesh_nodes_; }

private:
  const Mesh &mesh_;
  bool periodic_;
  std::vector<std::int32_t> number_; // [mesh node], -1 before it is met
  std::vector<std::int32_t> mesh_nodes_;
};

// Edges or faces, known by their smallest vertex numbers: two of an edge, three of a face. Chains
// hang on the smallest one, so that neighbours in the mesh are neighbours in memory.
class EntityTable {
public:
  // `vertices`: sorted, 2 (edge), 3 or 4 (face).
  std::int32_t find_or_add(std::span<const std::int32_t> vertices);
  std::int32_t size() const { return static_cast<std::int32_t>(entries_.size()); }

private:
  struct Entry {
    std::int32_t second, third; // vertices; third = -1 for edges
    std::int32_t next;          // with the same smallest vertex; -1 at the end
  };
  std::vector<std::int32_t> first_; // [smallest vertex]: entry, -1 for none
  std::vector<Entry> entries_;
};

// The order of the nodes inside an edge or face on which all cells that share it agree: by the
// nodes' weights on the entity's vertices, taken in the order of the vertices' global numbers.
class EntityOrientation {
public:
  // `nodes`: local nodes of one entity of the element, in its own orientation.
  EntityOrientation(const Element &element, std::span<const int> vertices,
                    std::span<const int> nodes);
  // Position of each node in the common order, given the global numbers of the entity's vertices.
  std::span<const std::uint8_t> positions(std::span<const std::int32_t> vertices);

private:
  std::vector<std::vector<int>> weights_; // [node][vertex of the entity]
  // By the permutation that sorts the vertices, 2 bits each; filled when first needed.
  std::vector<std::vector<std::uint8_t>> known_;
};

} // namespace weft
