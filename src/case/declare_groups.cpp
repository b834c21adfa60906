// [mesh] groups: groups of cells, facets, edges and points by where they are.
#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "base/printable.h"
#include "case/bindings.h"
#include "case/case_declarations.h"

namespace weft {

namespace {

struct KindOfGroup {
  const char *key;
  GroupKind kind;
  unsigned types;
  const char *description;
};
constexpr KindOfGroup kinds[] = {
    {"cells", GroupKind::cells, type_text, "cells all of whose corners fulfil this condition"},
    {"facets", GroupKind::facets, type_text,
     "boundary facets all of whose corners fulfil this condition: \"x < 1e-6\""},
    {"edges", GroupKind::edges, type_text,
     "in 3D: edges of cells both of whose ends fulfil this condition; in 2D edges are facets"},
    {"point", GroupKind::point, type_reals,
     "the corner of a cell that is nearest to these coordinates; it lies within a hundredth of the "
     "mesh's diagonal"},
    {"between", GroupKind::between, type_texts, "the facets between these two regions"},
};

std::string keys_text() {
  std::vector<std::string> keys;
  for (const KindOfGroup &kind : kinds)
    keys.push_back(kind.key);
  return join_names(keys);
}

void check_name(const Entry &e) {
  const auto refuse = [&](const char *what) {
    throw Error(ErrorKind::input, {.what = what,
                                   .where = e.where(),
                                   .found = fmt::format("\"{}\"", e.key),
                                   .allowed = "any name but all, boundary, interior",
                                   .remedy = "rename the group"});
  };
  if (e.key.empty() || has_control_character(e.key, false))
    refuse("a group without a name, or with a control character in it");
  if (e.key == "all" || e.key == "boundary" || e.key == "interior")
    refuse("a group with a reserved word for a name");
}

GroupSpec read_group(const Entry &e) {
  check_name(e);
  GroupSpec group{.name = e.key, .place = e.where()};
  int given = 0;
  for (const KindOfGroup &kind : kinds) {
    const auto value = child_of(e, kind.key);
    if (!value)
      continue;
    ++given;
    group.kind = kind.kind;
    if (kind.kind == GroupKind::point)
      group.point = reals_of(*value);
    else if (kind.kind == GroupKind::between)
      group.between = texts_of(*value);
    else
      group.condition = math_of(*value);
  }
  if (given != 1)
    throw Error(ErrorKind::input,
                {.what = "a group is one of cells, facets, edges, a point, or facets between "
                         "regions",
                 .where = group.place,
                 .found = given == 0 ? "none of them" : "several of them",
                 .allowed = "one of " + keys_text(),
                 .remedy = "give each its own name"});
  if (group.kind == GroupKind::between &&
      (group.between.size() != 2 || group.between[0] == group.between[1]))
    throw Error(ErrorKind::input, {.what = "facets lie between two regions",
                                   .where = group.place,
                                   .found = join_names(group.between),
                                   .allowed = "the names of two regions"});
  return group;
}

} // namespace

Declaration groups_key(Case &c) {
  std::vector<Declaration> keys;
  for (const KindOfGroup &kind : kinds)
    keys.push_back(declare_key(kind.key, kind.types, kind.description));
  Declaration group = declare_table("<name>", "one of what follows", std::move(keys));
  group.read = [&c](const Entry &e) { c.mesh.groups.push_back(read_group(e)); };
  return declare_table(
      "groups",
      "names for parts of the mesh by where they are, beside those of its file. Conditions are of "
      "x, y, z, scaled, and of parameters. They are looked for before the mesh is refined; parts "
      "stay in the groups",
      {group});
}

} // namespace weft
