#include "op/problem/field_regions.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/names.h"
#include "form/graph/rewrite.h"
#include "op/problem/class_table.h"
#include "op/problem/named_parts.h"

namespace weft {

namespace {

std::int32_t class_of(const Mesh &mesh, const FacetRef &facet) {
  return mesh.sets[facet.set].region[facet.cell];
}

// Whether terms are where their fields are, by the classes of the cells of a place.
class PlacesOfTerms {
public:
  PlacesOfTerms(const Mesh &mesh, const RestrictedTerms &terms) : mesh_(mesh), terms_(terms) {
    for (const TermRegion &region : terms.regions)
      inside_.push_back(select_classes(mesh, Domain::cells, region.regions, terms.where.where()));
    look();
  }

  bool any_inside = false;
  std::string outside; // what the first place is that is not

private:
  void look() {
    switch (terms_.domain) {
    case Domain::cells:
      return look_at_cells();
    case Domain::facets:
      return look_at_facets();
    case Domain::interior:
      return look_between_cells();
    case Domain::edges:
    case Domain::points:
      break;
    }
    any_inside = std::all_of(inside_.begin(), inside_.end(), [&](const std::vector<bool> &classes) {
      return parts_lie_in(mesh_, terms_.domain, terms_.groups, classes);
    });
    if (!any_inside)
      outside = terms_.domain == Domain::edges ? "an edge" : "a point";
  }

  void look_at_cells() {
    const std::vector<bool> selected = selected_classes(), used = classes_of_cells(mesh_);
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(used.size()); ++c)
      if (used[c] && selected[c])
        add(c, c, "cells");
  }

  void look_at_facets() {
    const std::vector<bool> selected = selected_classes();
    for (std::int64_t f = 0; f < mesh_.num_boundary_facets; ++f)
      if (selected[mesh_.facets[f].facet_class]) {
        const std::int32_t cell = class_of(mesh_, mesh_.facets[f].minus);
        add(cell, cell, "facets of cells");
      }
  }

  void look_between_cells() {
    for (const InteriorGroup &group : interior_groups(mesh_, selected_classes()))
      for (std::size_t f = 0; f < group.minus_cells.size(); ++f)
        add(mesh_.sets[group.minus_set].region[group.minus_cells[f]],
            mesh_.sets[group.plus_set].region[group.plus_cells[f]], "facets between cells");
  }

  std::vector<bool> selected_classes() const {
    return select_classes(mesh_, terms_.domain, terms_.groups, terms_.where.where());
  }

  void add(std::int32_t minus, std::int32_t plus, const char *parts) {
    bool all = true;
    auto classes = inside_.begin();
    for (const TermRegion &region : terms_.regions) {
      const bool in_minus = (*classes)[minus], in_plus = (*classes)[plus];
      const bool one_of_both = terms_.domain == Domain::interior && region.side == Side::none;
      all = all && (one_of_both                 ? in_minus != in_plus
                    : region.side == Side::plus ? in_plus
                                                : in_minus);
      ++classes;
    }
    any_inside = any_inside || all;
    if (all || !outside.empty())
      return;
    const auto name = [&](std::int32_t c) {
      const std::vector<std::string> &groups = mesh_.region_classes[c].groups;
      return groups.empty() ? "no region" : join_names(groups);
    };
    outside = fmt::format("{} of {}", parts, name(minus));
    if (terms_.domain == Domain::interior)
      outside += fmt::format(" (minus) and {} (plus)", name(plus));
  }

  const Mesh &mesh_;
  const RestrictedTerms &terms_;
  std::vector<std::vector<bool>> inside_; // [region of the terms][region class]
};

// Leaves those that are among others.
void keep(const std::vector<bool> &others, std::vector<bool> &classes) {
  for (std::size_t c = 0; c < classes.size(); ++c)
    classes[c] = classes[c] && others[c];
}

// "fluid, solid; plus(): steel"
std::string regions_text(const RestrictedTerms &terms) {
  std::string text;
  for (const TermRegion &region : terms.regions) {
    text += text.empty() ? "" : "; ";
    text += region.side == Side::minus ? "minus(): " : region.side == Side::plus ? "plus(): " : "";
    text += join_names(region.regions);
  }
  return text;
}

void check_terms(const RestrictedTerms &terms, const Mesh &mesh, Communicator *ranks) {
  const PlacesOfTerms places(mesh, terms);
  const bool inside = any(ranks, places.any_inside);
  const std::string outside = first_text(ranks, places.outside);
  if (terms.groups.empty() ? inside : outside.empty())
    return;
  const bool between = terms.domain == Domain::interior;
  throw Error(
      ErrorKind::input,
      {.what = terms.groups.empty() ? "a term whose fields are nowhere together"
                                    : "a term over a group where one of its fields is not",
       .where = terms.where.where(),
       .found = (outside.empty() ? "no such place" : outside) +
                (terms.groups.empty() ? "" : " in " + join_names(terms.groups)),
       .allowed = "where its fields are: " + regions_text(terms),
       .remedy = between ? "a field without minus() or plus() is on exactly one side of a facet, "
                           "with minus() or plus() on that one, with avg() and jump() on both; "
                           "name the facets between two regions in [mesh] groups"
                         : "name groups in these regions, integrate over `all`, which is where the "
                           "fields of each term are, or add regions to `cells` in [fields]"});
}

// Of a cell, own or ghost: its place in the whole mesh, which all parts agree on.
std::int64_t number_in_whole(const Mesh &mesh, const FacetRef &facet) {
  if (mesh.share)
    return mesh.share->sets[facet.set].whole[facet.cell];
  std::int64_t first = 0;
  for (int s = 0; s < facet.set; ++s)
    first += mesh.sets[s].num_cells();
  const std::vector<std::int32_t> &canonical = mesh.sets[facet.set].canonical;
  return first + (canonical.empty() ? facet.cell : canonical[facet.cell]);
}

} // namespace

std::vector<bool> classes_of_field(const Mesh &mesh, const FieldSpec &field) {
  std::vector<bool> classes = classes_of_cells(mesh);
  if (!field.cells.empty())
    keep(select_classes(mesh, Domain::cells, field.cells, field.place + " cells"), classes);
  return classes;
}

bool reads_regions(const Discretisation &d, const PointwiseFunction &function) {
  const Graph graph;
  const RegionsOfNodes regions(graph, d.form.fields, d.form.auxiliary);
  return std::any_of(function.symbols.begin(), function.symbols.end(),
                     [&](const Symbol &symbol) { return regions.of_symbol(symbol) != nullptr; });
}

std::vector<bool> classes_of_function(const Discretisation &d, const PointwiseFunction &function) {
  std::vector<bool> all = classes_of_cells(*d.mesh);
  const Graph graph;
  const RegionsOfNodes regions(graph, d.form.fields, d.form.auxiliary);
  for (const Symbol &symbol : function.symbols)
    if (const auto *cells = regions.of_symbol(symbol))
      keep(select_classes(*d.mesh, Domain::cells, *cells, ""), all);
  return all;
}

bool is_one_term(const Discretisation &d, const PointwiseFunction &function) {
  Graph graph;
  const std::vector<NodeId> outputs = insert(graph, function);
  RegionsOfNodes regions(graph, d.form.fields, d.form.auxiliary);
  TermRegions all;
  for (const NodeId output : outputs)
    all.insert(regions.of(output).begin(), regions.of(output).end());
  if (all.size() < 2)
    return true;
  return std::all_of(outputs.begin(), outputs.end(), [&](NodeId output) {
    return regions.is_one_term(output) && regions.of(output) == all;
  });
}

std::vector<bool> nodes_of_classes(const Mesh &mesh, const NodeMap &map,
                                   const std::vector<bool> &classes) {
  std::vector<bool> nodes(map.num_local, false);
  for (std::size_t s = 0; s < map.sets.size(); ++s) {
    const auto n = static_cast<std::size_t>(map.sets[s].element.num_nodes());
    for (std::size_t k = 0; k < map.sets[s].nodes.size(); ++k)
      if (classes[mesh.sets[s].region[k / n]])
        nodes[map.sets[s].nodes[k]] = true;
  }
  return nodes;
}

void leave_out(const std::vector<bool> &nodes, std::vector<double> &values) {
  const std::size_t components = values.size() / std::max<std::size_t>(1, nodes.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!nodes[i / components])
      values[i] = std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::int32_t> absent_dofs(const Discretisation &d) {
  std::vector<std::int32_t> dofs;
  for (std::size_t f = 0; f < d.form.fields.size(); ++f) {
    const FieldSpec &field = d.form.fields[f];
    if (field.cells.empty())
      continue;
    const NodeMap &map = d.map_of_field(static_cast<int>(f));
    const std::vector<bool> there =
        nodes_of_classes(*d.mesh, map, classes_of_field(*d.mesh, field));
    for (std::int64_t node = 0; node < map.num_owned; ++node)
      for (int k = 0; k < field.components() && !there[node]; ++k)
        dofs.push_back(static_cast<std::int32_t>(d.own_offset[f] + node * field.components() + k));
  }
  return dofs;
}

FacetRegions facet_regions(const Discretisation &d, const PointwiseFunction &function) {
  const Graph graph;
  const RegionsOfNodes regions(graph, d.form.fields, d.form.auxiliary);
  FacetRegions result{.cell = classes_of_cells(*d.mesh), .either = {}};
  for (const Symbol &symbol : function.symbols) {
    const auto *cells = regions.of_symbol(symbol);
    if (cells == nullptr)
      continue;
    const std::vector<bool> classes = select_classes(*d.mesh, Domain::cells, *cells, "");
    const bool is_known = symbol.kind == SymbolKind::auxiliary ||
                          symbol.kind == SymbolKind::auxiliary_gradient ||
                          symbol.kind == SymbolKind::auxiliary_hessian;
    const FieldSpec &field = (is_known ? d.form.auxiliary : d.form.fields)[symbol.index];
    const bool is_value = symbol.kind == SymbolKind::field ||
                          symbol.kind == SymbolKind::field_rate ||
                          symbol.kind == SymbolKind::auxiliary;
    if (is_value && !field.discontinuous && field.order > 0)
      result.either.push_back(classes);
    else
      keep(classes, result.cell);
  }
  return result;
}

std::optional<FacetRef> cell_of_facet(const Mesh &mesh, const Facet &facet,
                                      const FacetRegions &regions) {
  const std::int32_t minus = class_of(mesh, facet.minus);
  const std::int32_t plus = facet.plus.cell >= 0 ? class_of(mesh, facet.plus) : minus;
  std::optional<FacetRef> found;
  for (const std::vector<bool> &classes : regions.either)
    if (!classes[minus] && !classes[plus])
      return found;
  const auto in_all = [&](std::int32_t c) {
    return std::all_of(regions.either.begin(), regions.either.end(),
                       [c](const std::vector<bool> &classes) { return classes[c]; });
  };
  if (regions.cell[minus])
    found = facet.minus;
  if (facet.plus.cell < 0 || !regions.cell[plus])
    return found;
  const bool plus_is_better =
      in_all(minus) != in_all(plus)
          ? in_all(plus)
          : number_in_whole(mesh, facet.plus) < number_in_whole(mesh, facet.minus);
  if (!found || plus_is_better)
    found = facet.plus;
  return found;
}

std::vector<FacetGroup> group_facets(const Mesh &mesh, const std::vector<std::int32_t> &facets,
                                     const FacetRegions &regions) {
  std::vector<std::pair<FacetRef, std::int32_t>> of_cells;
  for (const std::int32_t f : facets)
    if (const auto cell = cell_of_facet(mesh, mesh.facets[f], regions))
      of_cells.emplace_back(*cell, mesh.facets[f].facet_class);
  std::stable_sort(of_cells.begin(), of_cells.end(), [](const auto &a, const auto &b) {
    return std::tie(a.first.set, a.first.facet, a.first.cell) <
           std::tie(b.first.set, b.first.facet, b.first.cell);
  });
  std::vector<FacetGroup> groups;
  for (const auto &[facet, facet_class] : of_cells) {
    if (groups.empty() || groups.back().set != facet.set || groups.back().facet != facet.facet)
      groups.push_back({.set = facet.set, .facet = facet.facet});
    groups.back().cells.push_back(facet.cell);
    groups.back().classes.push_back(facet_class);
  }
  return groups;
}

void check_field_regions(const Form &form, const Mesh &mesh, Communicator *ranks) {
  for (const auto *fields : {&form.fields, &form.auxiliary})
    for (const FieldSpec &field : *fields) {
      if (field.cells.empty())
        continue;
      const std::vector<bool> inside = classes_of_field(mesh, field);
      if (!any(ranks, std::find(inside.begin(), inside.end(), true) != inside.end()))
        throw Error(ErrorKind::input, {.what = "a field in regions without cells",
                                       .where = field.place,
                                       .found = join_names(field.cells),
                                       .allowed = join_names(mesh.region_names())});
    }
  for (const RestrictedTerms &terms : form.restricted)
    check_terms(terms, mesh, ranks);
}

} // namespace weft
