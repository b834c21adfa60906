#include "op/problem/law_boundaries.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/names.h"
#include "mesh/build/periodic_facets.h"
#include "op/problem/boundary_conditions.h"

namespace weft {

namespace {

std::tuple<int, int, int> key_of(const FacetRef &f) {
  return {f.set, f.cell, f.facet};
}

// [facet class]: facets on the boundary, of which periodic ones are none; each with one rank.
std::vector<std::int64_t> count_boundary_facets(const Mesh &mesh, Communicator *ranks) {
  std::set<std::tuple<int, int, int>> periodic;
  for (const Facet &pair : periodic_facets(mesh)) {
    periodic.insert(key_of(pair.minus));
    periodic.insert(key_of(pair.plus));
  }
  std::vector<std::int64_t> count(mesh.facet_classes.size(), 0);
  for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f)
    if (is_own_cell(mesh, mesh.facets[f].minus) && !periodic.contains(key_of(mesh.facets[f].minus)))
      ++count[mesh.facets[f].facet_class];
  for (std::int64_t &of_class : count)
    of_class = sum(ranks, of_class);
  return count;
}

void refuse_facets_without(const std::vector<int> &condition,
                           const std::vector<std::int64_t> &num_facets, const Mesh &mesh) {
  std::map<std::string, std::int64_t> count;
  for (std::size_t k = 0; k < condition.size(); ++k)
    if (num_facets[k] > 0 && condition[k] < 0)
      count[name_of_class(mesh.facet_classes[k])] += num_facets[k];
  if (count.empty())
    return;
  std::string found;
  for (const auto &[groups, facets] : count)
    found += fmt::format("{}{} in {}", found.empty() ? "" : "; ", facets, groups);
  throw Error(ErrorKind::input,
              {.what = "facets on the boundary without a condition",
               .where = "[boundary]",
               .found = found,
               .remedy = "add [boundary.GROUP] for each, or [boundary.all] for all others"});
}

// Conditions as they are given to classes.
struct Conditions {
  const Mesh &mesh;
  std::vector<std::int64_t> num_facets; // [class]
  std::vector<int> of_class;
  std::vector<std::string> named_by; // [class]

  void give(int index, const BoundarySpec &spec) {
    const std::string where = spec.where.where();
    const std::vector<bool> selected = select_classes(mesh, Domain::facets, {spec.group}, where);
    bool any = false;
    for (std::size_t k = 0; k < selected.size(); ++k) {
      if (!selected[k] || num_facets[k] == 0)
        continue;
      any = true;
      if (of_class[k] >= 0)
        throw Error(ErrorKind::input, {.what = "facets with two boundary conditions",
                                       .where = where,
                                       .found = named_by[k] + " and " + spec.group,
                                       .remedy = "give each facet one of them"});
      of_class[k] = index;
      named_by[k] = spec.group;
    }
    if (!any)
      throw Error(ErrorKind::input,
                  {.what = "a boundary condition on facets that lie inside the mesh",
                   .where = where,
                   .found = spec.group,
                   .allowed = "groups on the boundary, which periodic facets are not"});
  }
};

bool uses_entry(const PointwiseFunction &function, std::size_t entry) {
  return std::any_of(function.symbols.begin(), function.symbols.end(), [&](const Symbol &s) {
    return s.kind == SymbolKind::facet_parameter && s.component == static_cast<int>(entry);
  });
}

} // namespace

std::vector<int> conditions_of_classes(const std::vector<BoundarySpec> &boundaries,
                                       const Mesh &mesh, Communicator *ranks) {
  const std::size_t num_classes = mesh.facet_classes.size();
  Conditions conditions{mesh, count_boundary_facets(mesh, ranks), std::vector<int>(num_classes, -1),
                        std::vector<std::string>(num_classes)};
  int others = -1;
  for (std::size_t i = 0; i < boundaries.size(); ++i) {
    const BoundarySpec &spec = boundaries[i];
    if (!means_all_facets(spec.group)) {
      conditions.give(static_cast<int>(i), spec);
      continue;
    }
    if (others >= 0)
      throw Error(ErrorKind::input, {.what = "two conditions on all other facets",
                                     .where = spec.where.where(),
                                     .remedy = "keep one of [boundary.all], [boundary.boundary]"});
    others = static_cast<int>(i);
  }
  for (std::size_t k = 0; k < num_classes; ++k)
    if (conditions.num_facets[k] > 0 && conditions.of_class[k] < 0)
      conditions.of_class[k] = others;
  refuse_facets_without(conditions.of_class, conditions.num_facets, mesh);
  return conditions.of_class;
}

ClassTable resolve_facet_table(const ConservationLaw &law,
                               const std::vector<int> &condition_of_class, const Mesh &mesh) {
  const std::size_t num_entries = law.facet_table.size(), num_classes = condition_of_class.size();
  ClassTable table{.num_entries = static_cast<int>(num_entries)};
  table.values.assign(num_classes * num_entries, 0.0);
  for (std::size_t e = 0; e < num_entries; ++e) {
    std::vector<bool> used(num_classes, false);
    for (std::size_t k = 0; k < num_classes; ++k)
      if (condition_of_class[k] >= 0) {
        const BoundaryCondition &condition = law.boundaries[condition_of_class[k]];
        used[k] = uses_entry(condition.flux, e) || uses_entry(condition.outer, e);
      }
    const ClassTable one = resolve_table(mesh, Domain::facets, {law.facet_table[e]}, used);
    for (std::size_t k = 0; k < num_classes; ++k)
      table.values[k * num_entries + e] = one.values[k];
    table.settable.push_back(law.facet_table[e].settable);
  }
  return table;
}

} // namespace weft
