#include "form/expression/parameter_tables.h"

#include <algorithm>

#include "base/names.h"

namespace weft {

Symbol ParameterTables::use(SymbolKind kind, const TableEntry &entry, const Place &place) {
  auto &entries = kind == SymbolKind::cell_parameter ? cells_ : facets_;
  auto found = std::find_if(entries.begin(), entries.end(),
                            [&](const Entry &e) { return e.values.name == entry.name; });
  if (found == entries.end())
    found = entries.insert(entries.end(), {.values = entry});
  found->values.domains.insert(place.domain);
  const bool same_dimension =
      (kind == SymbolKind::cell_parameter) == (place.domain == Domain::cells);
  const bool covered = same_dimension && !place.groups.empty() &&
                       std::all_of(place.groups.begin(), place.groups.end(),
                                   [&](const auto &g) { return entry.by_group.contains(g); });
  found->matters_everywhere = found->matters_everywhere || !covered;
  return {.kind = kind, .component = static_cast<int>(found - entries.begin())};
}

Symbol ParameterTables::indicator(SymbolKind kind, const std::vector<std::string> &groups,
                                  Domain domain, const SourceText &where) {
  TableEntry entry{.name = "in " + join_names(groups), .where = where, .otherwise = 0.0};
  for (const auto &group : groups)
    entry.by_group[group] = 1;
  return use(kind, entry, {domain, {}});
}

std::vector<TableEntry> ParameterTables::finish(const std::vector<Entry> &entries) {
  std::vector<TableEntry> table;
  for (const Entry &entry : entries) {
    table.push_back(entry.values);
    if (!entry.matters_everywhere && !table.back().otherwise)
      table.back().otherwise = entry.values.by_group.begin()->second;
  }
  return table;
}

} // namespace weft
