#include "op/evaluate/field_values.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/error.h"
#include "base/names.h"
#include "form/expression/expression.h"
#include "op/evaluate/expression_values.h"
#include "op/evaluate/field_source.h"
#include "op/evaluate/point_location.h"
#include "op/evaluate/recovery.h"
#include "op/evaluate/state_fault.h"
#include "op/problem/dof_layout.h"
#include "op/problem/field_regions.h"
#include "op/problem/quadrature_degree.h"
#include "op/problem/result_form.h"
#include "space/nodal_element.h"

namespace weft {

namespace {

int index_of_field(const Discretisation &d, const ValueSpec &spec) {
  std::vector<std::string> names;
  for (const auto &field : d.form.fields)
    names.push_back(field.name);
  const auto found = std::find(names.begin(), names.end(), spec.name);
  if (found == names.end())
    throw Error(ErrorKind::input, {.what = "an initial value of an unknown field",
                                   .where = spec.value.where(),
                                   .found = spec.name,
                                   .allowed = join_names(names)});
  return static_cast<int>(found - names.begin());
}

// Nodes of a cell in an output that jumps between cells.
int nodes_in_cell(const Discretisation &d, const OutputField &field, std::size_t set) {
  const CellType type = d.mesh->sets[set].type;
  return field.order == 0 ? 1
         : field.nodal    ? make_nodal_element(type, field.order).num_nodes()
                          : make_element(type, field.order).num_nodes();
}

// The index of an entry, see OutputField.
std::string place_of_entry(const Discretisation &d, const OutputField &field, std::size_t entry) {
  auto node = static_cast<std::int64_t>(entry) / field.components;
  if (!field.discontinuous)
    for (const NodeMap &map : d.maps)
      if (!map.discontinuous && map.order == field.order)
        return "at " + describe_position(&map.coordinates[node * d.mesh->dim], d.mesh->dim);
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const CellSet &set = d.mesh->sets[s];
    const int nodes = nodes_in_cell(d, field, s);
    if (node < set.num_cells() * nodes)
      return "in " + describe_cell(d, s, node / nodes);
    node -= set.num_cells() * nodes;
  }
  return {};
}

// The first entry of this rank that is not finite; NaN is left out of what sees first times.
std::string own_fault(const Discretisation &d, const OutputField &field, bool leave_out_nan) {
  const auto bad = std::find_if(field.values.begin(), field.values.end(), [&](double value) {
    return !std::isfinite(value) && !(leave_out_nan && std::isnan(value));
  });
  if (bad == field.values.end())
    return {};
  const auto entry = static_cast<std::size_t>(bad - field.values.begin());
  return fmt::format("{}is {} {}",
                     field.components == 1 ? ""
                                           : fmt::format("component {} ", entry % field.components),
                     describe_number(*bad), place_of_entry(d, field, entry));
}

std::string fault_of(const Discretisation &d, const OutputField &field, bool leave_out_nan) {
  return first_text(d.ranks, own_fault(d, field, leave_out_nan));
}

// Values at nodes, set by set and cell by cell: nodes of other ranks' cells may be numbered apart,
// and of the whole domain all cells have the same one.
std::vector<double> in_order_of_cells(const NodeMap &map, const double *values, int components) {
  std::vector<double> ordered;
  for (const NodeMapSet &set : map.sets)
    for (const std::int32_t node : set.nodes)
      ordered.insert(ordered.end(), values + std::int64_t{node} * components,
                     values + (std::int64_t{node} + 1) * components);
  return ordered;
}

// Values that jump between cells: NaN in cells of other classes.
void leave_out_cells(const Discretisation &d, const std::vector<bool> &classes,
                     OutputField &field) {
  double *values = field.values.data();
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const std::int64_t n = std::int64_t{nodes_in_cell(d, field, s)} * field.components;
    for (const std::int32_t region : d.mesh->sets[s].region) {
      if (!classes[region])
        std::fill(values, values + n, std::numeric_limits<double>::quiet_NaN());
      values += n;
    }
  }
}

// Nodal values of a field, as its own output.
OutputField output_of_field(const Discretisation &d, int field, const std::vector<double> &state) {
  const FieldSpec &spec = d.form.fields[field];
  const NodeMap &map = d.map_of_field(field);
  const double *first = state.data() + d.field_offset[field];
  const std::vector<bool> classes = classes_of_field(*d.mesh, spec);
  OutputField output{
      .name = spec.name,
      .components = spec.components(),
      .discontinuous = spec.order == 0 || map.discontinuous,
      .nodal = map.discontinuous,
      .order = spec.order,
      .values = map.discontinuous || map.whole_domain
                    ? in_order_of_cells(map, first, spec.components())
                    : std::vector<double>(first, first + map.num_local * spec.components())};
  output.fault = fault_of(d, output, false);
  if (spec.cells.empty())
    return output;
  if (output.discontinuous) {
    leave_out_cells(d, classes, output);
    return output;
  }
  leave_out(nodes_of_classes(*d.mesh, map, classes), output.values);
  fetch_ghosts(d, d.field_map[field], spec.components(), output.values);
  return output;
}

// First times at their nodes, none of which sees those that are not reached.
OutputField output_of_first_times(const Discretisation &d, const std::string &name,
                                  std::size_t auxiliary) {
  const FieldSpec &spec = d.form.auxiliary[auxiliary];
  return {.name = name,
          .discontinuous = true,
          .nodal = true,
          .order = spec.order,
          .values = d.auxiliary[auxiliary].values};
}

// Values at each cell's own nodes of an element of this order: [(set, cell, node), component]; 0 in
// cells of other ranks, and where a field is not.
std::vector<double> values_in_cells(const Discretisation &d, const ResolvedExpression &expression,
                                    int order, const std::vector<double> &state) {
  const int num_components = expression.components();
  const std::vector<bool> classes = classes_of_function(d, expression.expression.function);
  std::vector<double> result;
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const CellSet &set = d.mesh->sets[s];
    const Element element = sampling_element(d, set.type, order);
    const int n = element.num_nodes();
    const PointTable table = make_point_table(d, static_cast<int>(s), element.nodes);
    std::vector<std::int32_t> cells;
    for (std::int32_t c = 0; c < num_own_cells(*d.mesh, s); ++c)
      if (classes[set.region[c]])
        cells.push_back(c);
    const std::size_t start = result.size();
    result.resize(start + set.num_cells() * n * num_components);
    for_each_batch(d, table, cells, [&](PointBatch &batch, std::int64_t, std::int64_t) {
      std::vector<std::vector<double>> outputs;
      evaluate_at(expression.expression.function, batch, expression.inputs(&state), outputs);
      for (int at = 0; at < batch.num_points(); ++at)
        for (int k = 0; k < num_components; ++k)
          result[start + (std::int64_t{batch.cells()[at / n]} * n + at % n) * num_components + k] =
              outputs[k][at];
    });
  }
  return result;
}

bool has_initial_rates(const Case &c) {
  return std::any_of(c.initial.begin(), c.initial.end(),
                     [](const ValueSpec &spec) { return spec.of_rate; });
}

// [initial]: of fields, or of their rates; 0 where nothing is said.
std::vector<double> initial_values(const Case &c, const Discretisation &d, bool of_rates) {
  std::vector<double> state(d.num_local, 0.0);
  for (const auto &spec : c.initial) {
    if (spec.of_rate != of_rates)
      continue;
    const int field = index_of_field(d, spec);
    const std::vector<double> values =
        values_of_spec(c, d, spec, d.map_of_field(field), d.form.fields[field]);
    std::copy(values.begin(), values.end(), state.begin() + d.field_offset[field]);
  }
  return state;
}

OutputField output_of_expression(const Case &c, const Discretisation &plain, const SourceText &text,
                                 const std::vector<double> &state) {
  const auto expression =
      resolve_on_cells(make_expression(result_form(c), text, {}, true, false), plain);
  const auto recovered = with_recovered(c, plain, expression.expression.function, state);
  const Discretisation &d = recovered ? *recovered : plain;
  const bool leave_out_nan = uses_first_times(c, expression.expression.function);
  const bool in_regions = reads_regions(d, expression.expression.function);
  const std::vector<bool> classes = classes_of_function(d, expression.expression.function);
  OutputField output{.name = text.text, .components = expression.components()};
  // Fields lie on the continuous node map of the highest order; what jumps, at each cell's own
  // nodes: one value a cell where that is all there is to it.
  if (expression.continuous(d)) {
    const NodeMap *finest = nullptr;
    for (const NodeMap &map : d.maps)
      if (!map.discontinuous && map.order > (finest == nullptr ? 0 : finest->order))
        finest = &map;
    if (finest != nullptr && finest->order >= highest_field_order(d)) {
      output.order = finest->order;
      output.values =
          values_at_nodes(d, expression, *finest, &state, in_regions ? &classes : nullptr);
      output.fault = fault_of(d, output, leave_out_nan);
      if (in_regions)
        output.values = results_at_nodes(d, expression, *finest, state);
      return output;
    }
  }
  output.nodal = has_nodal_elements(d);
  output.discontinuous = true;
  const int degree = degree_of_expression(d, expression.expression.function).used;
  output.order = degree == 0 ? 0 : std::max(1, highest_field_order(d));
  output.values = values_in_cells(d, expression, output.order, state);
  output.fault = fault_of(d, output, leave_out_nan);
  leave_out_cells(d, classes, output);
  return output;
}

} // namespace

std::vector<double> initial_rate(const Case &c, const Discretisation &d) {
  return has_initial_rates(c) ? initial_values(c, d, true) : std::vector<double>();
}

std::vector<double> initial_state(const Case &c, const Discretisation &d) {
  std::vector<double> state = initial_values(c, d, false);
  if (!d.law) {
    std::vector<double> entries = own_entries(d, state);
    for (std::size_t i = 0; i < d.constraints.dofs.size(); ++i)
      entries[d.constraints.dofs[i]] = d.constraints.values[i];
    set_tied(d.ties, entries);
    state = state_of_entries(d, std::move(entries));
  }
  const bool finite =
      std::all_of(state.begin(), state.end(), [](double value) { return std::isfinite(value); });
  if (any(d.ranks, !finite))
    throw Error(ErrorKind::input,
                {.what = "an initial or prescribed value that is not finite",
                 .where = c.file,
                 .found = describe_fault(d, state),
                 .allowed = "numbers",
                 .remedy = "look for divisions by zero, roots and logarithms in [initial] and "
                           "[dirichlet]"});
  return state;
}

std::vector<OutputField> output_fields(const Case &c, const Discretisation &d,
                                       const std::vector<double> &state) {
  std::vector<OutputField> result;
  for (const auto &text : c.output.fields) {
    const auto first = std::find_if(c.first_times.begin(), c.first_times.end(),
                                    [&](const ValueSpec &spec) { return spec.name == text.text; });
    if (first != c.first_times.end()) {
      result.push_back(output_of_first_times(
          d, text.text, index_of_first_times(c) + (first - c.first_times.begin())));
      continue;
    }
    const auto field = std::find_if(d.form.fields.begin(), d.form.fields.end(),
                                    [&](const FieldSpec &f) { return f.name == text.text; });
    result.push_back(
        field == d.form.fields.end()
            ? output_of_expression(c, d, text, state)
            : output_of_field(d, static_cast<int>(field - d.form.fields.begin()), state));
  }
  if (c.output.fields.empty())
    for (std::size_t field = 0; field < d.form.fields.size(); ++field)
      result.push_back(output_of_field(d, static_cast<int>(field), state));
  return result;
}

std::vector<double> probe(const Discretisation &d, const std::vector<double> &state,
                          const std::vector<double> &point) {
  const CellsAtPoint located = locate_named_point(d, point, "[output] probes");
  std::vector<double> result;
  for (const FieldSpec &field : d.form.fields)
    result.resize(result.size() + field.components(), 0.0);
  std::vector<double> num_cells(result.size(), 0.0); // where the field is
  for (const LocatedPoint &at : located.own) {
    const PointTable table = make_point_table(d, at.set, at.reference);
    PointBatch batch(d, table, std::span(&at.cell, 1));
    std::size_t out = 0;
    for (std::size_t field = 0; field < d.form.fields.size(); ++field) {
      const FieldSpec &spec = d.form.fields[field];
      const bool there = classes_of_field(*d.mesh, spec)[d.mesh->sets[at.set].region[at.cell]];
      for (int k = 0; k < spec.components(); ++k, ++out) {
        if (!there)
          continue;
        num_cells[out] += 1;
        result[out] += batch.values(
            {.kind = SymbolKind::field, .index = static_cast<int>(field), .component = k},
            {.state = &state})[0];
      }
    }
  }
  result = sum(d.ranks, result);
  num_cells = sum(d.ranks, num_cells);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] /= num_cells[i]; // NaN where there is none
  return result;
}

} // namespace weft
