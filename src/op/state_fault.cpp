#include "op/state_fault.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "op/point_values.h"

namespace weft {

namespace {

// "the cell at (0.25, 0.5)": the mean of its vertices.
std::string cell_text(const Discretisation &d, std::size_t set, std::int64_t cell) {
  const NodeMapSet &geometry = d.geometry.sets[set];
  const int dim = d.mesh->dim, n = num_vertices(geometry.element.cell);
  std::string text;
  for (int k = 0; k < dim; ++k) {
    double mean = 0;
    for (int v = 0; v < n; ++v)
      mean +=
          d.geometry.coordinates
              [std::int64_t(geometry.nodes[cell * geometry.element.num_nodes() + v]) * dim + k] /
          n;
    text += fmt::format("{}{:.6g}", k == 0 ? "" : ", ", mean);
  }
  return "the cell at (" + text + ")";
}

std::string dof_text(const Discretisation &d, std::size_t dof, double value) {
  std::size_t field = d.field_offset.size() - 1;
  while (static_cast<std::size_t>(d.field_offset[field]) > dof)
    --field;
  const FieldSpec &spec = d.form.fields[field];
  const auto at = static_cast<std::int64_t>(dof) - d.field_offset[field];
  const std::int64_t node = at / spec.components();
  std::string text = spec.name;
  if (!spec.shape.empty())
    text += fmt::format("[{}]", at % spec.components());
  text += std::isnan(value) ? " is nan" : fmt::format(" is {:.4g}", value);
  const NodeMap &map = d.map_of_field(static_cast<int>(field));
  for (std::size_t s = 0; s < map.sets.size(); ++s) {
    const auto &nodes = map.sets[s].nodes;
    const auto found = std::find(nodes.begin(), nodes.end(), node);
    if (found != nodes.end())
      return text + " in " +
             cell_text(d, s, (found - nodes.begin()) / map.sets[s].element.num_nodes());
  }
  return text;
}

// Empty where the wave speed is finite at all nodes.
std::string wave_speed_fault(const Discretisation &d, const std::vector<double> &state) {
  const PointInputs inputs{
      .state = &state, .cell_table = &d.cell_table, .facet_table = &d.facet_table};
  const NodeMap &map = d.map_of_field(0);
  for (std::size_t s = 0; s < map.sets.size(); ++s) {
    const PointTable table = make_point_table(d, static_cast<int>(s), map.sets[s].element.nodes);
    std::vector<std::int32_t> cells(d.mesh->sets[s].num_cells());
    std::iota(cells.begin(), cells.end(), 0);
    for (std::size_t first = 0; first < cells.size(); first += 64) {
      PointBatch batch(
          d, table,
          std::span(cells).subspan(first, std::min<std::size_t>(64, cells.size() - first)));
      std::vector<std::vector<double>> speed;
      evaluate_at(d.law->wave_speed, batch, inputs, speed);
      for (std::size_t i = 0; i < speed[0].size(); ++i)
        if (!std::isfinite(speed[0][i]))
          return "the wave speed is not finite in " +
                 cell_text(d, s, static_cast<std::int64_t>(first + i / table.num_points));
    }
  }
  return {};
}

} // namespace

std::string describe_fault(const Discretisation &d, const std::vector<double> &state) {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (!std::isfinite(state[i]))
      return dof_text(d, i, state[i]);
    if (std::abs(state[i]) > std::abs(state[largest]))
      largest = i;
  }
  if (d.law && !d.law->wave_speed.outputs.empty())
    if (const std::string fault = wave_speed_fault(d, state); !fault.empty())
      return fault;
  return dof_text(d, largest, state[largest]);
}

} // namespace weft
