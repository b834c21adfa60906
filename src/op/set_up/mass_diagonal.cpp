#include "op/set_up/mass_diagonal.h"

#include <algorithm>

#include "op/evaluate/cell_batches.h"

namespace weft {

std::vector<double> mass_diagonal(const Discretisation &d, int field) {
  const FieldSpec &spec = d.form.fields[field];
  const NodeMap &map = d.map_of_field(field);
  const int components = spec.components();
  std::vector<double> of_node(map.num_local, 0.);
  for_each_cell_batch(d, field, 2 * spec.order, [&](PointBatch &batch, const NodeMapSet &nodes) {
    const int num_points = batch.table().num_points, n = nodes.element.num_nodes();
    const Tabulation &basis = batch.table().maps[d.field_map[field]];
    for (std::size_t c = 0; c < batch.cells().size(); ++c)
      for (int q = 0; q < num_points; ++q)
        for (int i = 0; i < n; ++i) {
          const double phi = basis.phi[q * n + i];
          of_node[nodes.nodes[std::int64_t{batch.cells()[c]} * n + i]] +=
              batch.measure()[c * num_points + q] * phi * phi;
        }
  });
  std::vector<double> diagonal(map.num_owned * components);
  for (std::int64_t node = 0; node < map.num_owned; ++node)
    std::fill_n(diagonal.begin() + node * components, components, of_node[node]);
  return diagonal;
}

} // namespace weft
