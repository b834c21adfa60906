// A mesh cut into parts, one a rank, with the cells of others that each needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/build/cell_graph.h"
#include "mesh/mesh.h"
#include "mesh/order/subgraph.h"

namespace weft {

// Which part each cell of all sets is of: about equal costs, few facets between parts, by METIS.
// `cost_of_set`: of a cell of each set, above 0. Parts may be empty. Errors: partition_into().
std::vector<std::int32_t>
partition_mesh(const CellGraph &graph, std::span<const double> cost_of_set, std::int32_t num_parts);

class MeshParts {
public:
  // `whole` must outlive the parts, its cells in the order of the file, its facets found. `part`:
  // [cell of all sets].
  MeshParts(const Mesh &whole, const CellGraph &graph, std::vector<std::int32_t> part,
            std::int32_t num_parts);

  std::int32_t num_parts() const { return num_parts_; }
  // A part's own cells, all cells that touch a vertex that it owns, and all neighbours of its own
  // cells, in the ranges that MeshShare describes: own cells in leaves (order_cells()), ghosts by
  // owner and number. A vertex is of the part with most of the cells that touch it (of equal ones
  // by a hash of its number), so that rows of owned nodes are complete and every part knows owners
  // without asking. Facets on the boundary are those of the whole mesh; groups and classes have the
  // same numbers in all parts. Sets may be empty.
  Mesh part(std::int32_t number, int leaf_cells) const;

private:
  void join_periodic_vertices();
  void find_cells_of_vertices();
  void find_owners();
  std::vector<std::int32_t> find_ghosts(std::int32_t number) const;
  bool touches_others(std::int32_t number, std::int32_t cell) const;
  std::span<const std::int32_t> vertices_of(std::int32_t cell) const;
  std::int32_t set_of(std::int32_t cell) const;

  const Mesh &whole_;
  const CellGraph &graph_;
  std::vector<std::int32_t> part_; // [cell]
  std::int32_t num_parts_;
  CellGroups cells_of_part_;
  std::vector<std::int32_t> master_;          // [node]: the one that it is made one with, or itself
  std::vector<std::int64_t> first_of_vertex_; // [master + 1]
  std::vector<std::int32_t> cells_of_vertex_;
  std::vector<std::int32_t> owner_; // [master], of vertices; -1 of other nodes
  CellGroups vertices_of_part_;     // masters; the last group has what no part owns
};

} // namespace weft
