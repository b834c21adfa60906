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

// What a domain is made of.
const char *parts_of(Domain domain) {
  switch (domain) {
  case Domain::cells:
    return "cells";
  case Domain::edges:
    return "edges";
  case Domain::points:
    return "points";
  case Domain::facets:
  case Domain::interior:
    break;
  }
  return "facets";
}

std::string remedy_without_groups(Domain domain) {
  switch (domain) {
  case Domain::cells:
    return "name the cells of the mesh: Physical Volume (in two dimensions Physical Surface) in a "
           ".geo file, or [mesh] groups";
  case Domain::edges:
    return "name curves: Physical Curve in a .geo file, or edges in [mesh] groups";
  case Domain::points:
    return "name points: Physical Point in a .geo file, or a point in [mesh] groups";
  case Domain::facets:
  case Domain::interior:
    break;
  }
  return "name its facets: Physical Surface (in two dimensions Physical Curve) in a .geo file, or "
         "[mesh] groups; \"boundary\" and \"all\" need no names";
}

template <typename Groups> std::vector<std::string> names_in(const Groups &groups) {
  std::vector<std::string> names;
  for (const auto &[name, parts] : groups)
    names.push_back(name);
  return names;
}

std::vector<std::string> groups_of(const Mesh &mesh, Domain domain) {
  switch (domain) {
  case Domain::cells:
    return mesh.region_names();
  case Domain::edges:
    return names_in(mesh.edge_groups);
  case Domain::points:
    return names_in(mesh.point_groups);
  case Domain::facets:
  case Domain::interior:
    break;
  }
  return mesh.facet_group_names();
}

std::string describe(const GroupClass &group_class, Domain domain) {
  return group_class.groups.empty()
             ? fmt::format("{} without a group", parts_of(domain))
             : fmt::format("{} in {}", parts_of(domain), join_names(group_class.groups));
}

// An entry of facets may name groups of whatever it stands in expressions on.
void check_groups(const Mesh &mesh, Domain domain, const TableEntry &entry) {
  for (const auto &in_group : entry.by_group) {
    const std::string &group = in_group.first;
    const bool elsewhere =
        domain != Domain::cells &&
        std::any_of(entry.domains.begin(), entry.domains.end(), [&](Domain other) {
          return other != Domain::cells && contains(groups_of(mesh, other), group);
        });
    if (!elsewhere)
      check_group(mesh, domain, group, entry.where.where());
  }
}

bool stands_in(const TableEntry &entry, Domain domain) {
  return domain == Domain::cells || entry.domains.empty() || entry.domains.contains(domain) ||
         (domain == Domain::facets && entry.domains.contains(Domain::interior));
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

ClassTable resolve(const Mesh &mesh, Domain domain, const std::vector<TableEntry> &entries,
                   const std::vector<GroupClass> &classes, const std::vector<bool> &used) {
  ClassTable table{.num_entries = static_cast<int>(entries.size())};
  table.values.assign(classes.size() * entries.size(), 0.0);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    table.settable.push_back(entries[e].settable);
    if (!stands_in(entries[e], domain))
      continue;
    check_groups(mesh, domain, entries[e]);
    for (std::size_t i = 0; i < classes.size(); ++i)
      if (used[i])
        table.values[i * entries.size() + e] = value_in_class(entries[e], classes[i], domain);
  }
  return table;
}

} // namespace

void check_group(const Mesh &mesh, Domain domain, const std::string &group,
                 const std::string &where) {
  const std::vector<std::string> known = groups_of(mesh, domain);
  if (contains(known, group))
    return;
  const std::string nearest = nearest_name(group, known);
  throw Error(ErrorKind::input,
              {.what = fmt::format("the mesh has no group of {} with this name", parts_of(domain)),
               .where = where,
               .found = group,
               .allowed = known.empty() ? "the mesh has none" : join_names(known),
               .remedy = known.empty()     ? remedy_without_groups(domain)
                         : nearest.empty() ? ""
                                           : "did you mean " + nearest + "?"});
}

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
  return resolve(mesh, domain, entries, classes_of(mesh, domain), used);
}

ClassTable resolve_table(const Mesh &mesh, Domain domain, const std::vector<TableEntry> &entries,
                         const std::vector<GroupClass> &classes) {
  return resolve(mesh, domain, entries, classes, std::vector<bool>(classes.size(), true));
}

} // namespace weft
