#include "op/problem/result_form.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "form/expression/expression.h"
#include "form/expression/term_regions.h"

namespace weft {

namespace {

// The regions in which the fields of an expression are that is kept as a known field.
std::vector<std::string> cells_of(const Case &c, const SourceText &value,
                                  const Expression &expression) {
  const Graph graph;
  const RegionsOfNodes regions(graph, c.form.fields, c.form.auxiliary);
  std::set<std::vector<std::string>> found;
  for (const Symbol &symbol : expression.function.symbols)
    if (const auto *cells = regions.of_symbol(symbol))
      found.insert(*cells);
  if (found.size() > 1)
    throw Error(ErrorKind::unsupported,
                {.what = "a result that is kept of fields in different regions",
                 .where = value.where(),
                 .found = value.text,
                 .allowed = "fields that are everywhere, or in the same regions",
                 .remedy = "keep the value of each field by itself"});
  return found.empty() ? std::vector<std::string>{} : *found.begin();
}

// Of the highest order of the fields, and as many components as the expression.
FieldSpec recovered_field(const Case &c, const ValueSpec &spec) {
  const Expression expression = make_expression(c.form, spec.value, {}, true, false);
  const Shape &shape = expression.shape;
  if (shape.size() > 1)
    throw Error(ErrorKind::input, {.what = "a recovered field that is a matrix",
                                   .where = spec.value.where(),
                                   .allowed = "numbers and vectors",
                                   .remedy = "recover its components, such as sigma[0, 0]"});
  FieldSpec field{.name = spec.name, .shape = shape, .place = spec.value.where()};
  field.cells = cells_of(c, spec.value, expression);
  for (const FieldSpec &other : c.form.fields)
    field.order = std::max(field.order, other.order);
  return field;
}

} // namespace

FormSpec result_form(const Case &c) {
  FormSpec form = c.form;
  const auto add = [&](const std::string &name, const SourceText &value) {
    FieldSpec field = c.form.fields.front();
    field.name = name;
    field.shape = {};
    field.place = value.where();
    field.cells.clear();
    if (has_regions(c.form.fields, c.form.auxiliary))
      field.cells = cells_of(c, value, make_expression(c.form, value, Shape{}, true, false));
    form.auxiliary.push_back(field);
  };
  for (const OverTimeSpec &spec : c.over_time)
    add(spec.name, spec.value);
  for (const ValueSpec &spec : c.first_times)
    add(spec.name, spec.value);
  for (const ValueSpec &spec : c.recovered)
    form.auxiliary.push_back(recovered_field(c, spec));
  return form;
}

std::size_t index_of_first_times(const Case &c) {
  return c.form.auxiliary.size() + c.over_time.size();
}

std::size_t index_of_recovered(const Case &c) {
  return index_of_first_times(c) + c.first_times.size();
}

bool uses_first_times(const Case &c, const PointwiseFunction &function) {
  for (std::size_t e = 0; e < c.first_times.size(); ++e)
    if (function.uses(SymbolKind::auxiliary, static_cast<int>(index_of_first_times(c) + e)))
      return true;
  return false;
}

} // namespace weft
