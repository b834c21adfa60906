#include "mesh/parts/cells_of_vertices.h"

#include <numeric>

namespace weft {

CellsOfVertices::CellsOfVertices(const Mesh &mesh)
    : mesh_(mesh), first_(1, 0), master_(mesh.num_nodes()) {
  for (const CellSet &set : mesh.sets)
    first_.push_back(static_cast<std::int32_t>(first_.back() + set.num_cells()));
  std::iota(master_.begin(), master_.end(), 0);
  for (const auto &[node, master] : mesh.periodic_master)
    master_[node] = master;
  first_of_vertex_.assign(mesh.num_nodes() + 1, 0);
  // A cell that touches a vertex twice, by two that are one, is listed once.
  std::vector<std::int32_t> last(mesh.num_nodes(), -1);
  const auto for_each = [&](auto body) {
    std::fill(last.begin(), last.end(), -1);
    for (std::int32_t cell = 0; cell < num_cells(); ++cell)
      for (const std::int32_t vertex : vertices_of(cell))
        if (std::int32_t &before = last[master_[vertex]]; before != cell) {
          before = cell;
          body(master_[vertex], cell);
        }
  };
  for_each([&](std::int32_t vertex, std::int32_t) { ++first_of_vertex_[vertex + 1]; });
  std::partial_sum(first_of_vertex_.begin(), first_of_vertex_.end(), first_of_vertex_.begin());
  cells_.resize(first_of_vertex_.back() + 1); // never empty: cells_at() takes addresses
  std::vector<std::int64_t> next(first_of_vertex_.begin(), first_of_vertex_.end() - 1);
  for_each([&](std::int32_t vertex, std::int32_t cell) { cells_[next[vertex]++] = cell; });
}

std::span<const std::int32_t> CellsOfVertices::vertices_of(std::int32_t cell) const {
  const std::size_t s = set_of(cell);
  const CellSet &set = mesh_.sets[s];
  return {&set.nodes[std::int64_t{cell - first_[s]} * set.nodes_per_cell],
          static_cast<std::size_t>(num_vertices(set.type))};
}

} // namespace weft
