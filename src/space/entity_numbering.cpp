#include "space/entity_numbering.h"

#include <algorithm>
#include <numeric>

namespace weft {

VertexNumbering::VertexNumbering(const Mesh &mesh, bool periodic)
    : mesh_(mesh), periodic_(periodic && !mesh.periodic_master.empty()),
      number_(mesh.num_nodes(), -1) {}

std::int32_t VertexNumbering::find_or_add(std::int32_t mesh_node) {
  std::int32_t &number = number_[mesh_node];
  if (number >= 0)
    return number;
  if (periodic_) {
    const auto master = mesh_.periodic_master.find(mesh_node);
    if (master != mesh_.periodic_master.end() && master->second != mesh_node)
      return number = find_or_add(master->second);
  }
  mesh_nodes_.push_back(mesh_node);
  return number = size() - 1;
}

std::int32_t EntityTable::find_or_add(std::span<const std::int32_t> vertices) {
  const std::int32_t second = vertices[1], third = vertices.size() > 2 ? vertices[2] : -1;
  if (vertices[0] >= static_cast<std::int32_t>(first_.size()))
    first_.resize(vertices[0] + 1, -1);
  std::int32_t *link = &first_[vertices[0]];
  while (*link >= 0) {
    Entry &entry = entries_[*link];
    if (entry.second == second && entry.third == third)
      return *link;
    link = &entry.next;
  }
  *link = size(); // before push_back, which may move the entry that `link` points into
  entries_.push_back({second, third, -1});
  return size() - 1;
}

EntityOrientation::EntityOrientation(const Element &element, std::span<const int> vertices,
                                     std::span<const int> nodes)
    : known_(256) {
  const int n = num_vertices(element.cell);
  for (const int node : nodes) {
    weights_.emplace_back();
    for (const int v : vertices)
      weights_.back().push_back(element.vertex_weights[node * n + v]);
  }
}

std::span<const std::uint8_t> EntityOrientation::positions(std::span<const std::int32_t> vertices) {
  std::array<std::uint8_t, 4> sorted = {0, 1, 2, 3};
  const std::size_t n = vertices.size();
  sort_few(std::span(sorted.data(), n), [&](int a, int b) { return vertices[a] < vertices[b]; });
  int code = 0;
  for (std::size_t v = 0; v < n; ++v)
    code |= sorted[v] << (2 * v);
  auto &result = known_[code];
  if (!result.empty())
    return result;
  // Compares nodes by their weights in the order of the sorted vertices.
  std::vector<int> order(weights_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    for (std::size_t v = 0; v < n; ++v)
      if (weights_[a][sorted[v]] != weights_[b][sorted[v]])
        return weights_[a][sorted[v]] < weights_[b][sorted[v]];
    return false;
  });
  result.resize(weights_.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    result[order[i]] = static_cast<std::uint8_t>(i);
  return result;
}

} // namespace weft
