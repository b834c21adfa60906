// Problems on ranks that are threads, each with a part of the mesh and a device of its own.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mesh/parts/mesh_parts.h"
#include "ranks/thread_ranks.h"
#include "support/discrete_problem.h"
#include "support/test_device.h"

namespace weft {

// Runs body on so many ranks; the mesh of `whole` is cut among them.
inline void
on_ranks(const DiscreteProblem &whole, int size,
         const std::function<void(Communicator &, const Discretisation &, Device &)> &body) {
  const CellGraph graph = make_cell_graph(whole.mesh);
  const std::vector<double> cost(whole.mesh.sets.size(), 1.0);
  const MeshParts parts(whole.mesh, graph, partition_mesh(graph, cost, size), size);
  std::mutex one_at_a_time;
  run_thread_ranks(size, [&](Communicator &ranks) {
    const Mesh mesh = parts.part(ranks.rank(), 16);
    const Discretisation d = make_discretisation(whole.c, mesh, {}, &ranks);
    const std::unique_ptr<Device> device = [&] {
      const std::lock_guard lock(one_at_a_time);
      return open_test_device();
    }();
    body(ranks, d, *device);
  });
}

// The largest difference of a part's own cells from the whole, of discontinuous fields; NaN counts
// as one.
inline double largest_difference(const Discretisation &whole, const std::vector<double> &state,
                                 const Discretisation &part,
                                 const std::vector<double> &part_state) {
  const CellGraph graph = make_cell_graph(*whole.mesh);
  double largest = 0;
  for (std::size_t f = 0; f < whole.form.fields.size(); ++f) {
    const int components = whole.form.fields[f].components();
    const NodeMap &map = whole.map_of_field(int(f)), &part_map = part.map_of_field(int(f));
    for (std::size_t s = 0; s < part.mesh->sets.size(); ++s) {
      const MeshShare::Cells &share = part.mesh->share->sets[s];
      const int n = map.sets[s].element.num_nodes();
      const auto value = [&](const Discretisation &d, const NodeMap &of, std::int64_t node,
                             const std::vector<double> &values, int k) {
        return values[d.field_offset[f] + std::int64_t{of.sets[s].nodes[node]} * components + k];
      };
      for (std::int64_t c = 0; c < share.num_owned; ++c)
        for (int i = 0; i < n; ++i)
          for (int k = 0; k < components; ++k) {
            const std::int64_t there = share.whole[c] - graph.first_cell[s];
            const double apart = std::abs(value(whole, map, there * n + i, state, k) -
                                          value(part, part_map, c * n + i, part_state, k));
            largest = apart >= largest ? apart : std::isnan(apart) ? 1 : largest;
          }
    }
  }
  return largest;
}

} // namespace weft
