#include "form/adjoint/form_derivative.h"

#include "base/error.h"
#include "form/expression/parameter_derivative.h"

namespace weft {

Form make_form_derivative(const FormSpec &spec) {
  require(spec.derived_by.has_value(), "a parameter to derive by");
  Form form = make_form(spec);
  require(form.c_text.empty(), "a form whose derivatives are known");
  const auto num_known = static_cast<int>(form.auxiliary.size());
  for (FormIntegral &integral : form.integrals) {
    integral.residual = parameter_derivative(integral.residual, *spec.derived_by, num_known,
                                             form.cell_table, form.facet_table);
    integral.linearised = {};
  }
  form.auxiliary.insert(form.auxiliary.end(), spec.auxiliary.begin(), spec.auxiliary.end());
  form.auxiliary.insert(form.auxiliary.end(), form.fields.begin(), form.fields.end());
  return form;
}

} // namespace weft
