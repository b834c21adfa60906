#include "op/evaluate/reaction.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <system_error>

#include "base/error.h"
#include "base/names.h"
#include "op/evaluate/loads.h"
#include "op/problem/field_regions.h"

namespace weft {

namespace {

bool touches(const Discretisation &d, const Reaction &reaction, int set, std::int32_t cell) {
  const NodeMapSet &nodes = d.map_of_field(reaction.field).sets[set];
  const int n = nodes.element.num_nodes();
  const auto begin = nodes.nodes.begin() + std::int64_t{cell} * n;
  return std::any_of(begin, begin + n, [&](std::int32_t node) { return reaction.nodes[node]; });
}

// The cells of a part that have a node of the reaction.
Part touched(const Discretisation &d, const Reaction &reaction, const Part &part) {
  Part result{.set = part.set, .facet = part.facet, .domain = part.domain};
  for (std::size_t i = 0; i < part.cells.size(); ++i) {
    if (!touches(d, reaction, part.set, part.cells[i]))
      continue;
    result.cells.push_back(part.cells[i]);
    if (!part.classes.empty())
      result.classes.push_back(part.classes[i]);
  }
  return result;
}

// "[1]" to 1; -1 for what is no such text.
int component_of(const std::string &index) {
  int component = -1;
  const char *end = index.data() + index.size();
  const auto read = std::from_chars(index.data() + 1, end, component);
  return read.ec == std::errc() && read.ptr + 1 == end && *read.ptr == ']' ? component : -1;
}

// Those on which the reaction is asked for.
std::vector<std::int32_t> nodes_of(const Discretisation &d, const NodeMap &map,
                                   const FunctionalSpec &spec) {
  const std::string where = spec.expression.where();
  if (spec.domain == Domain::facets)
    return nodes_on_facets(*d.mesh, map,
                           select_classes(*d.mesh, Domain::facets, spec.groups, where));
  std::vector<std::int32_t> nodes;
  for (const FacetGroup &group :
       find_named_parts(*d.mesh, spec.domain, spec.groups, false, where).groups) {
    const NodeMapSet &set = map.sets[group.set];
    for (const int i : nodes_on_part(set.element, spec.domain, group.facet))
      for (const std::int32_t cell : group.cells)
        nodes.push_back(set.nodes[std::int64_t{cell} * set.element.num_nodes() + i]);
  }
  return nodes;
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
  if (map.discontinuous)
    refuse(ErrorKind::unsupported,
           "a reaction of a discontinuous field, which no value is prescribed of",
           "fields of elements P1 to P8");
  if (map.whole_domain)
    refuse(ErrorKind::unsupported,
           "a reaction of a field of the whole domain, which no value is prescribed of",
           "fields of elements P1 to P8");
  reaction.nodes.assign(map.num_local, false);
  const std::vector<std::int32_t> nodes = nodes_of(d, map, spec);
  const FieldSpec &field = d.form.fields[reaction.field];
  const std::vector<bool> there = nodes_of_classes(*d.mesh, map, classes_of_field(*d.mesh, field));
  if (any(d.ranks, std::any_of(nodes.begin(), nodes.end(), [&](std::int32_t node) {
            return node < map.num_owned && !there[node];
          })))
    refuse(ErrorKind::input, "a reaction where the field is not",
           "groups of cells in " + join_names(field.cells));
  for (const std::int32_t node : nodes)
    reaction.nodes[node] = node < map.num_owned; // others are other ranks'
  if (!any(d.ranks, !nodes.empty()))
    refuse(ErrorKind::input, "a reaction on no part of the mesh",
           "groups of facets, edges or points that the mesh has");
  return reaction;
}

std::vector<double> value_of(const Discretisation &d, const Reaction &reaction,
                             const std::vector<double> &state) {
  const int n = d.form.fields[reaction.field].components();
  const PointInputs inputs{
      .state = &state, .cell_table = &d.cell_table, .facet_table = &d.facet_table};
  std::vector<double> load(reaction.nodes.size() * n, 0.), total(n, 0.);
  for (const FormIntegral &integral : d.form.integrals)
    for (const Part &part : parts_of_form(d, integral.domain))
      add_load_of_field(d, touched(d, reaction, part), integral.residual, reaction.field, inputs,
                        load.data());
  for (std::size_t node = 0; node < reaction.nodes.size(); ++node)
    for (int k = 0; k < n && reaction.nodes[node]; ++k)
      total[k] += load[node * n + k];
  total = sum(d.ranks, total);
  return reaction.component < 0 ? total : std::vector{total[reaction.component]};
}

} // namespace weft
