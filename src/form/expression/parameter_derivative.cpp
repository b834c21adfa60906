#include "form/expression/parameter_derivative.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "case/parameter_names.h"
#include "form/expression/expression.h"
#include "form/graph/differentiate.h"
#include "form/graph/rewrite.h"

namespace weft {

namespace {

void check_is_number(FormSpec spec, const SourceText &value, const SourceText &text) {
  spec.derived_by.reset();
  const Expression expression = make_expression(spec, value, {}, false, false);
  const PointwiseFunction &function = expression.function;
  if (expression.shape.empty() && function.nodes[function.outputs[0]].op == Op::constant)
    return;
  throw Error(ErrorKind::input,
              {.what = "a gradient by a parameter that is no number",
               .where = text.where(),
               .found = fmt::format("{} = {}", text.text, value.text),
               .allowed = "parameters that are scalars and do not depend on the place",
               .remedy = "write the number that it shall be changed by as a parameter of its own"});
}

// The entry of that name; -1 where there is none.
int index_of(const std::vector<TableEntry> &table, const std::string &name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const TableEntry &entry) { return entry.name == name; });
  return found == table.end() ? -1 : static_cast<int>(found - table.begin());
}

} // namespace

ParameterChoice parameter_named(const FormSpec &spec, const SourceText &text) {
  const FoundParameter found =
      find_parameter(spec, text.text, {.what = "a gradient by", .where = text.where()});
  const ParameterSpec &parameter = spec.parameters[found.index];
  if (parameter.value)
    check_is_number(spec, *parameter.value, text);
  for (const auto &[group, value] : parameter.by_group)
    check_is_number(spec, value, text); // else the value is no entry of a table
  return {.name = parameter.name, .group = found.group};
}

PointwiseFunction parameter_derivative(const PointwiseFunction &function,
                                       const ParameterChoice &parameter, int num_known,
                                       std::vector<TableEntry> &cell_table,
                                       std::vector<TableEntry> &facet_table) {
  Graph graph;
  // 1 where the entry is the parameter's value that is changed.
  const auto derivative_of_entry = [&](Symbol symbol, std::vector<TableEntry> &table) {
    if (symbol.component != index_of(table, parameter.name))
      return graph.constant(0);
    if (parameter.group.empty())
      return graph.constant(1);
    const std::string name = fmt::format("{} in {} is changed", parameter.name, parameter.group);
    if (index_of(table, name) < 0)
      table.push_back({.name = name,
                       .where = table[symbol.component].where,
                       .by_group = {{parameter.group, 1}},
                       .otherwise = 0,
                       .domains = table[symbol.component].domains});
    symbol.component = index_of(table, name);
    return graph.symbol(symbol);
  };
  const auto derivative_of = [&](Symbol symbol) {
    switch (symbol.kind) {
    case SymbolKind::cell_parameter:
      return derivative_of_entry(symbol, cell_table);
    case SymbolKind::facet_parameter:
      return derivative_of_entry(symbol, facet_table);
    case SymbolKind::auxiliary:
    case SymbolKind::auxiliary_gradient:
    case SymbolKind::auxiliary_hessian:
      symbol.index += num_known;
      return graph.symbol(symbol);
    case SymbolKind::field:
    case SymbolKind::field_gradient:
    case SymbolKind::field_hessian:
      symbol.kind = symbol.kind == SymbolKind::field            ? SymbolKind::auxiliary
                    : symbol.kind == SymbolKind::field_gradient ? SymbolKind::auxiliary_gradient
                                                                : SymbolKind::auxiliary_hessian;
      symbol.index += 2 * num_known;
      return graph.symbol(symbol);
    default:
      return graph.constant(0);
    }
  };
  return extract(graph, differentiate(graph, insert(graph, function), derivative_of));
}

} // namespace weft
