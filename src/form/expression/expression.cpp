#include "form/expression/expression.h"

#include <algorithm>

#include "form/expression/elaborate.h"
#include "form/expression/parameter_derivative.h"

namespace weft {

namespace {

Tensor evaluate_as(Elaborator &elaborator, const SourceText &text, const Scope &scope,
                   const std::optional<Shape> &expected) {
  return expected ? elaborator.evaluate(text, scope, *expected) : elaborator.evaluate(text, scope);
}

Expression finish_expression(Elaborator &elaborator, const Shape &shape,
                             std::span<const NodeId> outputs) {
  return {extract(elaborator.graph(), outputs), shape, elaborator.tables().cell_table(),
          elaborator.tables().facet_table()};
}

} // namespace

Expression make_expression(const FormSpec &spec, const SourceText &text,
                           const std::optional<Shape> &expected, bool fields_allowed,
                           Domain domain) {
  Elaborator elaborator(spec);
  const Scope scope{.place = {domain, {}},
                    .fields = fields_allowed,
                    .rates = fields_allowed && !spec.known_rates.empty(),
                    .results = true};
  const Tensor value = evaluate_as(elaborator, text, scope, expected);
  Expression expression = finish_expression(elaborator, value.shape, value.components);
  if (spec.derived_by)
    expression.function = parameter_derivative(expression.function, *spec.derived_by,
                                               static_cast<int>(spec.auxiliary.size()),
                                               expression.cell_table, expression.facet_table);
  return expression;
}

Expression make_expression(const FormSpec &spec, const SourceText &text,
                           const std::optional<Shape> &expected, bool fields_allowed,
                           bool on_facets) {
  return make_expression(spec, text, expected, fields_allowed,
                         on_facets ? Domain::facets : Domain::cells);
}

bool has_settable_entries(const Expression &expression) {
  const auto any = [](const std::vector<TableEntry> &table) {
    return std::any_of(table.begin(), table.end(),
                       [](const TableEntry &entry) { return entry.settable; });
  };
  return any(expression.cell_table) || any(expression.facet_table);
}

Expression with_gradient(const FormSpec &spec, const SourceText &text,
                         const std::optional<Shape> &expected) {
  Elaborator elaborator(spec);
  const Tensor value = evaluate_as(elaborator, text, {}, expected);
  std::vector<NodeId> outputs = value.components;
  const Tensor gradient = elaborator.gradient(text, value);
  outputs.insert(outputs.end(), gradient.components.begin(), gradient.components.end());
  return finish_expression(elaborator, value.shape, outputs);
}

} // namespace weft
