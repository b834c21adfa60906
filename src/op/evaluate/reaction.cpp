#include "op/evaluate/reaction.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <system_error>

#include "base/error.h"
#include "base/names.h"
#include "op/evaluate/expression_values.h"
#include "op/problem/facet_groups.h"

namespace weft {

namespace {

// The first of a field's outputs in a residual: f0[component], then f1[component][direction].
int first_output(const Form &form, int field) {
  int first = 0;
  for (int f = 0; f < field; ++f)
    first += form.fields[f].components() * (1 + form.dim);
  return first;
}

// Adds f0 phi + f1 . grad phi, integrated, phi the sum of the basis functions of the reaction's
// nodes.
void add_batch(const Discretisation &d, const Reaction &reaction, const FormIntegral &integral,
               const PointInputs &inputs, PointBatch &batch, double *sums) {
  std::vector<std::vector<double>> outputs;
  evaluate_at(integral.residual, batch, inputs, outputs);
  const int dim = d.form.dim, n = d.form.fields[reaction.field].components();
  const int first = first_output(d.form, reaction.field);
  const PointTable &table = batch.table();
  const Tabulation &t = table.maps[d.field_map[reaction.field]];
  const NodeMapSet &nodes = d.map_of_field(reaction.field).sets[table.set];
  for (std::size_t c = 0; c < batch.cells().size(); ++c)
    for (int i = 0; i < t.num_nodes; ++i) {
      if (!reaction.nodes[nodes.nodes[std::int64_t{batch.cells()[c]} * t.num_nodes + i]])
        continue;
      for (int q = 0; q < table.num_points; ++q) {
        const std::size_t at = c * table.num_points + q;
        for (int k = 0; k < n; ++k) {
          double value = outputs[first + k][at] * t.phi[q * t.num_nodes + i];
          for (int x = 0; x < dim; ++x)
            for (int e = 0; e < dim; ++e)
              value += outputs[first + n + k * dim + x][at] * batch.inverse(e, x)[at] *
                       t.dphi[(q * t.num_nodes + i) * dim + e];
          sums[k] += batch.measure()[at] * value;
        }
      }
    }
}

bool touches(const Discretisation &d, const Reaction &reaction, int set, std::int32_t cell) {
  const NodeMapSet &nodes = d.map_of_field(reaction.field).sets[set];
  const int n = nodes.element.num_nodes();
  const auto begin = nodes.nodes.begin() + std::int64_t{cell} * n;
  return std::any_of(begin, begin + n, [&](std::int32_t node) { return reaction.nodes[node]; });
}

void add(std::vector<double> &total, const std::vector<double> &part) {
  for (std::size_t k = 0; k < total.size(); ++k)
    total[k] += part[k];
}

// "[1]" to 1; -1 for what is no such text.
int component_of(const std::string &index) {
  int component = -1;
  const char *end = index.data() + index.size();
  const auto read = std::from_chars(index.data() + 1, end, component);
  return read.ec == std::errc() && read.ptr + 1 == end && *read.ptr == ']' ? component : -1;
}

} // namespace

Reaction make_reaction(const Discretisation &d, const FunctionalSpec &spec) {
  const auto refuse = [&](ErrorKind kind, const std::string &what, const std::string &allowed) {
    throw Error(kind, {.what = what,
                       .where = spec.expression.where(),
                       .found = spec.expression.text,
                       .allowed = allowed});
  };
  if (d.law || !d.form.c_text.empty() || has_rates(d.form) ||
      std::any_of(d.form.integrals.begin(), d.form.integrals.end(),
                  [](const auto &integral) { return integral.domain == Domain::interior; }))
    refuse(ErrorKind::unsupported,
           "reactions of a conservation law, or of a form with dt(), C text or interior facets",
           "weak forms over cells and facets, as expressions, without dt()");
  std::vector<std::string> names;
  for (const FieldSpec &field : d.form.fields)
    names.push_back(field.name);
  const std::string &text = spec.expression.text;
  const std::size_t bracket = text.find('[');
  const auto found = std::find(names.begin(), names.end(), text.substr(0, bracket));
  if (found == names.end())
    refuse(ErrorKind::input, "a reaction of what is no field",
           join_names(names) + ", or a component such as u[0]");
  Reaction reaction{.field = static_cast<int>(found - names.begin())};
  if (bracket != std::string::npos)
    reaction.component = component_of(text.substr(bracket));
  const int components = d.form.fields[reaction.field].components();
  if (bracket != std::string::npos && (reaction.component < 0 || reaction.component >= components))
    refuse(ErrorKind::input, "a reaction of a component that the field does not have",
           fmt::format("{0}, or {0}[k] with k = 0 to {1}", *found, components - 1));
  const NodeMap &map = d.map_of_field(reaction.field);
  reaction.nodes.assign(map.num_local, false);
  const std::vector<std::int32_t> nodes = nodes_on_facets(
      *d.mesh, map, select_classes(*d.mesh, Domain::facets, spec.groups, spec.expression.where()));
  for (const std::int32_t node : nodes)
    reaction.nodes[node] = node < map.num_owned; // others are other ranks'
  if (!any(d.ranks, !nodes.empty()))
    refuse(ErrorKind::input, "a reaction on no part of the boundary",
           "facet groups that the mesh has");
  return reaction;
}

std::vector<double> value_of(const Discretisation &d, const Reaction &reaction,
                             const std::vector<double> &state) {
  const int n = d.form.fields[reaction.field].components();
  std::vector<double> total(n, 0.);
  PointInputs inputs{.state = &state, .cell_table = &d.cell_table, .facet_table = &d.facet_table};
  for (const FormIntegral &integral : d.form.integrals) {
    if (integral.domain == Domain::cells) {
      for (int s = 0; s < static_cast<int>(d.mesh->sets.size()); ++s) {
        std::vector<std::int32_t> cells;
        for (std::int32_t cell = 0; cell < d.mesh->sets[s].num_cells(); ++cell)
          if (touches(d, reaction, s, cell))
            cells.push_back(cell);
        add(total, sum_batches(d, make_form_table(d, s), cells, n,
                               [&](PointBatch &batch, std::int64_t, double *sums) {
                                 add_batch(d, reaction, integral, inputs, batch, sums);
                               }));
      }
      continue;
    }
    for (const FacetGroup &group : group_facets(*d.mesh, d.integrated_facets)) {
      std::vector<std::int32_t> cells, classes;
      for (std::size_t i = 0; i < group.cells.size(); ++i)
        if (touches(d, reaction, group.set, group.cells[i])) {
          cells.push_back(group.cells[i]);
          classes.push_back(group.classes[i]);
        }
      add(total, sum_batches(d, make_form_facet_table(d, group.set, group.facet), cells, n,
                             [&](PointBatch &batch, std::int64_t first, double *sums) {
                               PointInputs of_batch = inputs;
                               of_batch.facet_classes =
                                   std::span(classes).subspan(first, batch.cells().size());
                               add_batch(d, reaction, integral, of_batch, batch, sums);
                             }));
    }
  }
  total = sum(d.ranks, total);
  return reaction.component < 0 ? total : std::vector{total[reaction.component]};
}

} // namespace weft
