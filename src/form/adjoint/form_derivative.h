// The derivative of a weak form by a parameter.
#pragma once

#include "form/weak_form/form.h"

namespace weft {

// The form of a spec that says `derived_by`, its residual differentiated by that parameter; it has
// no linearisation and no C text. Its known fields are those of the form, then their derivatives by
// the parameter, then the derivatives of its fields (of what is prescribed), which hold values that
// parameter_derivative() knows of. Errors (input): see make_form().
Form make_form_derivative(const FormSpec &spec);

} // namespace weft
