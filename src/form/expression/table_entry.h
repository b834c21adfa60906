// One value that differs between regions or groups of facets, edges or points.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "case/form_spec.h"

namespace weft {

// A parameter by group is by region in expressions on cells, and everywhere if a cell integral of
// the form uses it (also through definitions and other parameters); any other one is by facet group
// in expressions on facets, by named curve or point in those on edges and at points.
//
// One entry of a parameter table: its value in each group; `otherwise` where no group of the cell
// (facet) is named. A class whose groups are named by none is an error when the table is resolved.
struct TableEntry {
  std::string name; // for error messages: the parameter's name
  SourceText where;
  std::map<std::string, double> by_group;
  std::optional<double> otherwise;
  std::set<Domain> domains; // of the expressions that it stands in; none: not told apart
  bool settable = false;    // of a parameter that may get other values: never a literal
};

} // namespace weft
