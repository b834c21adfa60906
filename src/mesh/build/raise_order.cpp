#include "mesh/build/raise_order.h"

#include <algorithm>
#include <array>

#include "mesh/build/second_order.h"
#include "mesh/vertex_tuples.h"

namespace weft {

namespace {

// Appends the mean of the given nodes.
void add_mean(Mesh &mesh, const std::int32_t *nodes, int count) {
  for (int d = 0; d < mesh.dim; ++d) {
    double sum = 0;
    for (int k = 0; k < count; ++k)
      sum += mesh.coordinates[static_cast<std::int64_t>(nodes[k]) * mesh.dim + d];
    mesh.coordinates.push_back(sum / count);
  }
}

void raise_set(Mesh &mesh, CellSet &set, VertexTuples &shared) {
  const auto &supports = second_order_supports(set.type);
  const int vertices = set.nodes_per_cell, all = num_geometry_nodes(set.type, 2);
  std::vector<std::int32_t> nodes(set.num_cells() * all);
  for (std::int64_t c = 0; c < set.num_cells(); ++c) {
    const std::int32_t *old = &set.nodes[c * vertices];
    std::int32_t *out = &nodes[c * all];
    out = std::copy_n(old, vertices, out);
    for (const auto &support : supports) {
      std::array<std::int32_t, 8> on;
      const int count = static_cast<int>(support.size());
      for (int k = 0; k < count; ++k)
        on[k] = old[support[k]];
      // The interior belongs to this cell alone.
      const bool interior = count == vertices;
      const auto next = static_cast<std::int32_t>(mesh.num_nodes());
      const std::int32_t node =
          interior ? next : shared.find_or_add(std::span(on.data(), count), next);
      if (node == next)
        add_mean(mesh, on.data(), count);
      *out++ = node;
    }
  }
  set.nodes = std::move(nodes);
  set.nodes_per_cell = all;
}

} // namespace

void raise_order(Mesh &mesh) {
  VertexTuples shared(mesh.num_nodes());
  for (auto &set : mesh.sets)
    raise_set(mesh, set, shared);
  mesh.geometry_order = 2;
}

} // namespace weft
