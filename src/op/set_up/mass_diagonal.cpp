#include "op/set_up/mass_diagonal.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "op/evaluate/point_values.h"

namespace weft {

std::vector<double> mass_diagonal(const Discretisation &d, int field) {
  const FieldSpec &spec = d.form.fields[field];
  const NodeMap &map = d.map_of_field(field);
  const int components = spec.components();
  std::vector<double> of_node(map.num_local, 0.);
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const NodeMapSet &nodes = map.sets[s];
    const int n = nodes.element.num_nodes();
    const PointTable table = make_cell_table(d, static_cast<int>(s), 2 * spec.order);
    const Tabulation &basis = table.maps[d.field_map[field]];
    std::vector<std::int32_t> cells(d.mesh->sets[s].num_cells());
    std::iota(cells.begin(), cells.end(), 0);
    constexpr std::size_t at_once = 512;
    for (std::size_t first = 0; first < cells.size(); first += at_once) {
      const auto some = std::span(cells).subspan(first, std::min(at_once, cells.size() - first));
      const PointBatch batch(d, table, some);
      for (std::size_t c = 0; c < some.size(); ++c)
        for (int q = 0; q < table.num_points; ++q)
          for (int i = 0; i < n; ++i) {
            const double phi = basis.phi[q * n + i];
            of_node[nodes.nodes[std::int64_t{some[c]} * n + i]] +=
                batch.measure()[c * table.num_points + q] * phi * phi;
          }
    }
  }
  std::vector<double> diagonal(map.num_owned * components);
  for (std::int64_t node = 0; node < map.num_owned; ++node)
    std::fill_n(diagonal.begin() + node * components, components, of_node[node]);
  return diagonal;
}

} // namespace weft
