#include "op/problem/result_form.h"

#include <algorithm>

#include "base/error.h"
#include "form/expression/expression.h"

namespace weft {

namespace {

// Of the highest order of the fields, and as many components as the expression.
FieldSpec recovered_field(const Case &c, const ValueSpec &spec) {
  const Shape shape = make_expression(c.form, spec.value, {}, true, false).shape;
  if (shape.size() > 1)
    throw Error(ErrorKind::input, {.what = "a recovered field that is a matrix",
                                   .where = spec.value.where(),
                                   .allowed = "numbers and vectors",
                                   .remedy = "recover its components, such as sigma[0, 0]"});
  FieldSpec field{.name = spec.name, .shape = shape, .place = spec.value.where()};
  for (const FieldSpec &other : c.form.fields)
    field.order = std::max(field.order, other.order);
  return field;
}

} // namespace

FormSpec result_form(const Case &c) {
  FormSpec form = c.form;
  for (const ValueSpec &spec : c.first_times) {
    FieldSpec field = c.form.fields.front();
    field.name = spec.name;
    field.shape = {};
    field.place = spec.value.where();
    form.auxiliary.push_back(field);
  }
  for (const ValueSpec &spec : c.recovered)
    form.auxiliary.push_back(recovered_field(c, spec));
  return form;
}

bool uses_first_times(const Case &c, const PointwiseFunction &function) {
  for (std::size_t e = 0; e < c.first_times.size(); ++e)
    if (function.uses(SymbolKind::auxiliary, static_cast<int>(c.form.auxiliary.size() + e)))
      return true;
  return false;
}

} // namespace weft
