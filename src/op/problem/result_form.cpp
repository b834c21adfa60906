#include "op/problem/result_form.h"

namespace weft {

FormSpec result_form(const Case &c) {
  FormSpec form = c.form;
  for (const ValueSpec &spec : c.first_times) {
    FieldSpec field = c.form.fields.front();
    field.name = spec.name;
    field.shape = {};
    field.place = spec.value.where();
    form.auxiliary.push_back(field);
  }
  return form;
}

bool uses_first_times(const Case &c, const PointwiseFunction &function) {
  for (std::size_t e = 0; e < c.first_times.size(); ++e)
    if (function.uses(SymbolKind::auxiliary, static_cast<int>(c.form.auxiliary.size() + e)))
      return true;
  return false;
}

} // namespace weft
