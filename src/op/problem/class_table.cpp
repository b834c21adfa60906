#include "op/problem/class_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"

namespace weft {

namespace {

const std::vector<GroupClass> &classes_of(const Mesh &mesh, Domain domain) {
  return domain == Domain::cells ? mesh.region_classes : mesh.facet_classes;
}

bool contains(const std::vector<std::string> &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string remedy_without_groups(bool cells) {
  return cells ? "name the cells of the mesh: Physical Volume (in two dimensions Physical Surface) "
                 "in a .geo file"
               : "name its facets: Physical Surface (in two dimensions Physical Curve) in a .geo "
                 "file; \"boundary\" and \"all\" need no names";
}

void check_group(const Mesh &mesh, Domain domain, const std::string &group,
                 const std::string &where) {
  const bool cells = domain == Domain::cells;
  const auto known = cells ? mesh.region_names() : mesh.facet_group_names();
  if (contains(known, group))
    return;
  const std::string nearest = nearest_name(group, known);
  throw Error(ErrorKind::input, {.what = fmt::format("the mesh has no group of {} with this name",
                                                     cells ? "cells" : "facets"),
                                 .where = where,
                                 .found = group,
                                 .allowed = known.empty() ? "the mesh has none" : join_names(known),
                                 .remedy = known.empty()     ? remedy_without_groups(cells)
                                           : nearest.empty() ? ""
                                                             : "did you mean " + nearest + "?"});
}

std::string describe(const GroupClass &group_class, Domain domain) {
  const char *kind = domain == Domain::cells ? "cells" : "facets";
  return group_class.groups.empty() ? fmt::format("{} without a group", kind)
                                    : fmt::format("{} in {}", kind, join_names(group_class.groups));
}

double value_in_class(const TableEntry &entry, const GroupClass &group_class, Domain domain) {
  std::optional<double> value;
  for (const auto &[group, in_group] : entry.by_group) {
    if (!contains(group_class.groups, group))
      continue;
    if (value && *value != in_group)
      throw Error(ErrorKind::input, {.what = fmt::format("`{}` has several values in {}",
                                                         entry.name, describe(group_class, domain)),
                                     .where = entry.where.where(),
                                     .found = format_real(*value) + " and " + format_real(in_group),
                                     .remedy = "give it a value in one of these groups only"});
    value = in_group;
  }
  if (!value)
    value = entry.otherwise;
  if (!value)
    throw Error(ErrorKind::input, {.what = fmt::format("`{}` has no value in {}", entry.name,
                                                       describe(group_class, domain)),
                                   .where = entry.where.where(),
                                   .remedy = "give it a value there, or one value everywhere"});
  return *value;
}

} // namespace

std::vector<bool> select_classes(const Mesh &mesh, Domain domain,
                                 const std::vector<std::string> &groups, const std::string &where) {
  const auto &classes = classes_of(mesh, domain);
  std::vector<bool> selected(classes.size(), groups.empty());
  for (const auto &group : groups) {
    check_group(mesh, domain, group, where);
    for (std::size_t i = 0; i < classes.size(); ++i)
      if (contains(classes[i].groups, group))
        selected[i] = true;
  }
  return selected;
}

std::vector<bool> classes_of_cells(const Mesh &mesh) {
  std::vector<bool> used(mesh.region_classes.size(), false);
  for (const auto &set : mesh.sets)
    for (const auto region : set.region)
      used[region] = true;
  return used;
}

std::vector<bool> classes_of_boundary(const Mesh &mesh) {
  std::vector<bool> used(mesh.facet_classes.size(), false);
  for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f)
    used[mesh.facets[f].facet_class] = true;
  return used;
}

ClassTable resolve_table(const Mesh &mesh, Domain domain, const std::vector<TableEntry> &entries,
                         const std::vector<bool> &used) {
  const auto &classes = classes_of(mesh, domain);
  ClassTable table{.num_entries = static_cast<int>(entries.size())};
  table.values.assign(classes.size() * entries.size(), 0.0);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    table.settable.push_back(entries[e].settable);
    for (const auto &[group, value] : entries[e].by_group)
      check_group(mesh, domain, group, entries[e].where.where());
    for (std::size_t i = 0; i < classes.size(); ++i)
      if (used[i])
        table.values[i * entries.size() + e] = value_in_class(entries[e], classes[i], domain);
  }
  return table;
}

} // namespace weft
