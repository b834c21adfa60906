// Values that differ between regions or facet groups: the entries of a form's tables.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "form/expression/table_entry.h"
#include "form/graph/graph.h"

namespace weft {

// Where in the mesh an expression is evaluated, as far as tables care.
struct Place {
  Domain domain = Domain::cells;
  std::vector<std::string> groups; // empty = all
};

class ParameterTables {
public:
  // The symbol of an entry, which is made at first use. `kind`: cell_parameter or facet_parameter.
  // The value matters at `place`; see finish().
  Symbol use(SymbolKind kind, const TableEntry &entry, const Place &place);

  // 1 in the groups, 0 elsewhere.
  Symbol indicator(SymbolKind kind, const std::vector<std::string> &groups, Domain domain,
                   const SourceText &where);

  // The tables. An entry that matters only in integrals over groups it has values for gets its
  // first value elsewhere, where it is computed and thrown away: the user need not give one there.
  std::vector<TableEntry> cell_table() const { return finish(cells_); }
  std::vector<TableEntry> facet_table() const { return finish(facets_); }

private:
  struct Entry {
    TableEntry values;
    bool matters_everywhere = false;
  };
  static std::vector<TableEntry> finish(const std::vector<Entry> &entries);

  std::vector<Entry> cells_;
  std::vector<Entry> facets_;
};

} // namespace weft
