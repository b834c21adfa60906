#include "op/evaluate/state_fault.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numeric>

#include "base/names.h"
#include "op/evaluate/point_values.h"

namespace weft {

namespace {

// "u[0]", `what`, " in the cell at (0.25, 0.5)"
std::string dof_text(const Discretisation &d, std::size_t dof, const std::string &what) {
  std::size_t field = d.field_offset.size() - 1;
  while (static_cast<std::size_t>(d.field_offset[field]) > dof)
    --field;
  const FieldSpec &spec = d.form.fields[field];
  const auto at = static_cast<std::int64_t>(dof) - d.field_offset[field];
  const std::int64_t node = at / spec.components();
  std::string text = spec.name;
  if (!spec.shape.empty())
    text += fmt::format("[{}]", at % spec.components());
  text += what;
  const NodeMap &map = d.map_of_field(static_cast<int>(field));
  for (std::size_t s = 0; s < map.sets.size(); ++s) {
    const auto &nodes = map.sets[s].nodes;
    const auto found = std::find(nodes.begin(), nodes.end(), node);
    if (found != nodes.end())
      return text + " in " +
             describe_cell(d, s, (found - nodes.begin()) / map.sets[s].element.num_nodes());
  }
  return text;
}

// Calls body(set, first cell, points of a cell, values) for the outputs of a function of a law in
// cells of this rank, at the nodes of its fields, some cells at a time, until it returns true.
bool any_batch(const Discretisation &d, const PointwiseFunction &function,
               const std::vector<double> &state,
               const std::function<bool(std::size_t set, std::int64_t first, int num_points,
                                        const std::vector<double> &values)> &body) {
  const PointInputs inputs{
      .state = &state, .cell_table = &d.cell_table, .facet_table = &d.facet_table};
  const NodeMap &map = d.map_of_field(0);
  for (std::size_t s = 0; s < map.sets.size(); ++s) {
    const PointTable table = make_point_table(d, static_cast<int>(s), map.sets[s].element.nodes);
    std::vector<std::int32_t> cells(num_own_cells(*d.mesh, s));
    std::iota(cells.begin(), cells.end(), 0);
    for (std::size_t first = 0; first < cells.size(); first += 64) {
      PointBatch batch(
          d, table,
          std::span(cells).subspan(first, std::min<std::size_t>(64, cells.size() - first)));
      std::vector<std::vector<double>> values;
      evaluate_at(function, batch, inputs, values);
      if (body(s, static_cast<std::int64_t>(first), table.num_points, values[0]))
        return true;
    }
  }
  return false;
}

// The text of the rank whose size is the largest.
std::string text_of_largest(Communicator *ranks, double size, const std::string &text) {
  return first_text(ranks, size == largest(ranks, size) ? text : "");
}

} // namespace

std::string describe_number(double value) {
  if (std::isnan(value))
    return "nan";
  return fmt::format("{:.4g}", value);
}

std::string describe_position(const double *coordinates, int dim) {
  std::string text;
  for (int k = 0; k < dim; ++k)
    text += fmt::format("{}{:.6g}", k == 0 ? "" : ", ", coordinates[k]);
  return "(" + text + ")";
}

std::string describe_cell(const Discretisation &d, std::size_t set, std::int64_t cell) {
  const NodeMapSet &geometry = d.geometry.sets[set];
  const int dim = d.mesh->dim, n = num_vertices(geometry.element.cell);
  std::array<double, 3> mean{};
  for (int k = 0; k < dim; ++k)
    for (int v = 0; v < n; ++v)
      mean[k] +=
          d.geometry.coordinates
              [std::int64_t(geometry.nodes[cell * geometry.element.num_nodes() + v]) * dim + k] /
          n;
  const auto &groups = d.mesh->region_classes[d.mesh->sets[set].region[cell]].groups;
  return "the cell at " + describe_position(mean.data(), dim) +
         (groups.empty() ? "" : " of region " + join_names(groups));
}

std::string wave_speed_fault(const Discretisation &d, const std::vector<double> &state) {
  std::string text;
  any_batch(
      d, d.law->wave_speed, state,
      [&](std::size_t set, std::int64_t first, int num_points, const std::vector<double> &speed) {
        const auto bad = std::find_if(speed.begin(), speed.end(), [](double value) {
          return !std::isfinite(value) || value < 0;
        });
        if (bad != speed.end())
          text = fmt::format("the wave speed is {} in {}", describe_number(*bad),
                             describe_cell(d, set, first + (bad - speed.begin()) / num_points));
        return bad != speed.end();
      });
  return first_text(d.ranks, text);
}

std::string describe_shortest_step(const Discretisation &d, const std::vector<double> &state) {
  double largest = -1;
  std::string text;
  any_batch(
      d, d.law->wave_speed, state,
      [&](std::size_t set, std::int64_t first, int num_points, const std::vector<double> &speed) {
        for (std::size_t i = 0; i < speed.size(); ++i) {
          const std::int64_t cell = first + static_cast<std::int64_t>(i) / num_points;
          const double size = cell_size(d, static_cast<int>(set), cell);
          if (!(speed[i] / size > largest))
            continue;
          largest = speed[i] / size;
          text = fmt::format("the shortest step is that of {}, of size {} and wave speed {}",
                             describe_cell(d, set, cell), describe_number(size),
                             describe_number(speed[i]));
        }
        return false;
      });
  return text_of_largest(d.ranks, largest, text);
}

std::string describe_fault(const Discretisation &d, const std::vector<double> &state) {
  const auto text = [&](std::size_t dof) {
    return dof_text(d, dof, " is " + describe_number(state[dof]));
  };
  std::size_t largest = 0, bad = 0;
  for (; bad < state.size() && std::isfinite(state[bad]); ++bad)
    if (std::abs(state[bad]) > std::abs(state[largest]))
      largest = bad;
  const std::string fault = first_text(d.ranks, bad < state.size() ? text(bad) : "");
  if (!fault.empty())
    return fault;
  if (d.law && !d.law->wave_speed.outputs.empty())
    if (const std::string of_speed = wave_speed_fault(d, state); !of_speed.empty())
      return of_speed;
  if (state.empty())
    return text_of_largest(d.ranks, -1, "");
  return text_of_largest(d.ranks, std::abs(state[largest]), text(largest));
}

std::string describe_dof(const Discretisation &d, std::int64_t dof) {
  return dof_text(d, dof, "");
}

} // namespace weft
