#include "op/evaluate/table_fault.h"

#include <algorithm>
#include <fmt/format.h>

#include "op/evaluate/field_values.h"

namespace weft {

namespace {

// Of the table's length: prescribed values at its ends are no fault, however they are rounded.
constexpr double slack = 1e-9;

// What a group of a parameter is a group of.
Domain domain_of(const Mesh &mesh, const std::string &group) {
  for (const auto &region : mesh.region_classes)
    if (std::find(region.groups.begin(), region.groups.end(), group) != region.groups.end())
      return Domain::cells;
  return mesh.edge_groups.contains(group)    ? Domain::edges
         : mesh.point_groups.contains(group) ? Domain::points
                                             : Domain::facets;
}

// The argument, wherever the parameter has that value; of one that is the same everywhere in cells.
std::string fault_of(const Case &c, const Discretisation &d, const std::vector<double> &state,
                     const TabulatedFunction &table, const std::string &group,
                     const SourceText &argument) {
  FunctionalSpec spec{.name = "argument of a table", .expression = argument};
  if (!group.empty()) {
    spec.domain = domain_of(*d.mesh, group);
    spec.groups = {group};
    spec.point_group = group; // where it is one of points
  }
  const double first = table.at.front(), last = table.at.back();
  const double more = slack * (last - first);
  for (const FunctionalKind kind : {FunctionalKind::minimum, FunctionalKind::maximum}) {
    spec.kind = spec.domain == Domain::points ? FunctionalKind::point : kind;
    const double value = functional(c, d, spec, state).values.front();
    if (value < first - more || value > last + more)
      return fmt::format("{} goes to {:.6g}, outside the table of {} ({:.6g} to {:.6g}); add rows "
                         "to it, or say outside = \"constant\" or \"linear\"",
                         argument.text, value, argument.where(), first, last);
  }
  return {};
}

} // namespace

bool has_bounded_tables(const Case &c) {
  return std::any_of(c.form.parameters.begin(), c.form.parameters.end(), [](const auto &parameter) {
    return std::any_of(parameter.tables.begin(), parameter.tables.end(), [](const auto &table) {
      return table.second.outside == OutsideTable::error;
    });
  });
}

std::string table_fault(const Case &c, const Discretisation &d, const std::vector<double> &state) {
  for (const ParameterSpec &parameter : c.form.parameters)
    for (const auto &[group, table] : parameter.tables) {
      if (table.outside != OutsideTable::error)
        continue;
      const SourceText &argument = group.empty() ? *parameter.value : parameter.by_group.at(group);
      const std::string fault = fault_of(c, d, state, table, group, argument);
      if (!fault.empty())
        return fault;
    }
  return {};
}

} // namespace weft
