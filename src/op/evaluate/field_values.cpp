#include "op/evaluate/field_values.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "base/error.h"
#include "base/names.h"
#include "form/expression/expression.h"
#include "op/evaluate/expression_values.h"
#include "op/evaluate/field_source.h"
#include "op/evaluate/point_location.h"
#include "op/evaluate/recovery.h"
#include "op/evaluate/state_fault.h"
#include "op/problem/dof_layout.h"
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

// The index of an entry, see OutputField.
std::string place_of_entry(const Discretisation &d, const OutputField &field, std::size_t entry) {
  auto node = static_cast<std::int64_t>(entry) / field.components;
  if (!field.discontinuous)
    for (const NodeMap &map : d.maps)
      if (!map.discontinuous && map.order == field.order)
        return "at " + describe_position(&map.coordinates[node * d.mesh->dim], d.mesh->dim);
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const CellSet &set = d.mesh->sets[s];
    const int nodes = field.order == 0 ? 1
                      : field.nodal    ? make_nodal_element(set.type, field.order).num_nodes()
                                       : make_element(set.type, field.order).num_nodes();
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

// Nodal values of a field, as its own output.
OutputField output_of_field(const Discretisation &d, int field, const std::vector<double> &state) {
  const FieldSpec &spec = d.form.fields[field];
  const NodeMap &map = d.map_of_field(field);
  const double *first = state.data() + d.field_offset[field];
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
// cells of other ranks.
std::vector<double> values_in_cells(const Discretisation &d, const ResolvedExpression &expression,
                                    int order, const std::vector<double> &state) {
  const int num_components = expression.components();
  std::vector<double> result;
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const CellSet &set = d.mesh->sets[s];
    const Element element = sampling_element(d, set.type, order);
    const int n = element.num_nodes();
    const PointTable table = make_point_table(d, static_cast<int>(s), element.nodes);
    std::vector<std::int32_t> cells(num_own_cells(*d.mesh, s));
    std::iota(cells.begin(), cells.end(), 0);
    const std::size_t start = result.size();
    result.resize(start + set.num_cells() * n * num_components);
    for_each_batch(d, table, cells, [&](PointBatch &batch, std::int64_t first, std::int64_t) {
      std::vector<std::vector<double>> outputs;
      evaluate_at(expression.expression.function, batch, expression.inputs(&state), outputs);
      double *out = &result[start + first * n * num_components];
      for (int at = 0; at < batch.num_points(); ++at)
        for (int k = 0; k < num_components; ++k)
          *out++ = outputs[k][at];
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
        values_of_spec(c, d, spec, d.map_of_field(field), d.form.fields[field].shape);
    std::copy(values.begin(), values.end(), state.begin() + d.field_offset[field]);
  }
  return state;
}

OutputField output_of_expression(const Case &c, const Discretisation &plain, const SourceText &text,
                                 const std::vector<double> &state) {
  const auto expression =
      resolve_on_cells(make_expression(result_form(c), text, {}, true, false), *plain.mesh);
  const auto recovered = with_recovered(c, plain, expression.expression.function, state);
  const Discretisation &d = recovered ? *recovered : plain;
  const bool leave_out_nan = uses_first_times(c, expression.expression.function);
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
      output.values = values_at_nodes(d, expression, *finest, &state);
      output.fault = fault_of(d, output, leave_out_nan);
      return output;
    }
  }
  output.nodal = has_nodal_elements(d);
  output.discontinuous = true;
  const int degree = degree_of_expression(d, expression.expression.function).used;
  output.order = degree == 0 ? 0 : std::max(1, highest_field_order(d));
  output.values = values_in_cells(d, expression, output.order, state);
  output.fault = fault_of(d, output, leave_out_nan);
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
  for (const LocatedPoint &at : located.own) {
    const PointTable table = make_point_table(d, at.set, at.reference);
    PointBatch batch(d, table, std::span(&at.cell, 1));
    double *out = result.data();
    for (std::size_t field = 0; field < d.form.fields.size(); ++field)
      for (int k = 0; k < d.form.fields[field].components(); ++k)
        *out++ += batch.values(
                      {.kind = SymbolKind::field, .index = static_cast<int>(field), .component = k},
                      {.state = &state})[0] /
                  static_cast<double>(located.num_all);
  }
  return sum(d.ranks, result);
}

} // namespace weft
