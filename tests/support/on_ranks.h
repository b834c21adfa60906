// Problems on ranks that are threads, each with a part of the mesh.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ranks/thread_ranks.h"
#include "support/discrete_problem.h"
#include "support/parts_of_mesh.h"
#include "support/test_device.h"

namespace weft {

// Runs body on so many ranks; the mesh of `whole` is cut among them.
inline void on_parts(const DiscreteProblem &whole, int size,
                     const std::function<void(Communicator &, const Discretisation &)> &body) {
  const std::vector<Mesh> parts = parts_of_mesh(whole.mesh, size);
  run_thread_ranks(size, [&](Communicator &ranks) {
    body(ranks, make_discretisation(whole.c, parts[ranks.rank()], {}, &ranks));
  });
}

// The same with a device each.
inline void
on_ranks(const DiscreteProblem &whole, int size,
         const std::function<void(Communicator &, const Discretisation &, Device &)> &body) {
  set_ghosts_are_forgotten(true);
  std::mutex one_at_a_time;
  on_parts(whole, size, [&](Communicator &ranks, const Discretisation &d) {
    const std::unique_ptr<Device> device = [&] {
      const std::lock_guard lock(one_at_a_time);
      return open_test_device();
    }();
    body(ranks, d, *device);
  });
}

// The largest difference of a part's own cells from the whole, of values at the nodes of a
// discontinuous field, each beginning with the first: [node, component]. NaN counts as one where
// the other is none.
inline double largest_difference(const Discretisation &whole, const double *values,
                                 const Discretisation &part, const double *part_values, int field,
                                 int components) {
  const CellGraph graph = make_cell_graph(*whole.mesh);
  const NodeMap &map = whole.map_of_field(field), &part_map = part.map_of_field(field);
  double largest = 0;
  for (std::size_t s = 0; s < part.mesh->sets.size(); ++s) {
    const MeshShare::Cells &share = part.mesh->share->sets[s];
    const int n = map.sets[s].element.num_nodes();
    for (std::int64_t c = 0; c < share.num_owned; ++c)
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < components; ++k) {
          const std::int64_t there = share.whole[c] - graph.first_cell[s];
          const double a = values[map.sets[s].nodes[there * n + i] * components + k];
          const double b = part_values[part_map.sets[s].nodes[c * n + i] * components + k];
          const double apart = std::isnan(a) && std::isnan(b) ? 0 : std::abs(a - b);
          largest = apart >= largest ? apart : std::isnan(apart) ? 1 : largest;
        }
  }
  return largest;
}

// The same of states.
inline double largest_difference(const Discretisation &whole, const std::vector<double> &state,
                                 const Discretisation &part,
                                 const std::vector<double> &part_state) {
  double largest = 0;
  for (std::size_t f = 0; f < whole.form.fields.size(); ++f)
    largest = std::max(largest, largest_difference(whole, &state[whole.field_offset[f]], part,
                                                   part_state.data() + part.field_offset[f], int(f),
                                                   whole.form.fields[f].components()));
  return largest;
}

} // namespace weft
