#include "op/problem/result_form.h"

namespace weft {

FormSpec result_form(const Case &c) {
  FormSpec form = c.form;
  const auto add = [&](const std::string &name, const SourceText &value) {
    FieldSpec field = c.form.fields.front();
    field.name = name;
    field.shape = {};
    field.place = value.where();
    form.auxiliary.push_back(field);
  };
  for (const OverTimeSpec &spec : c.over_time)
    add(spec.name, spec.value);
  for (const ValueSpec &spec : c.first_times)
    add(spec.name, spec.value);
  return form;
}

std::size_t index_of_first_times(const Case &c) {
  return c.form.auxiliary.size() + c.over_time.size();
}

bool uses_first_times(const Case &c, const PointwiseFunction &function) {
  for (std::size_t e = 0; e < c.first_times.size(); ++e)
    if (function.uses(SymbolKind::auxiliary, static_cast<int>(index_of_first_times(c) + e)))
      return true;
  return false;
}

} // namespace weft
