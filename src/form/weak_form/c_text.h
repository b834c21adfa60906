// Pointwise functions that a case gives as C text: a subset of C that Weft understands, so that a
// case runs nothing but arithmetic; or, where the user trusts the case, all of C as it is.
#pragma once

#include <string>
#include <vector>

#include "form/expression/elaborate.h"
#include "form/weak_form/form.h"

namespace weft {

// The C text of [pointwise] with the names that it uses; empty where the case has none. Without
// FormSpec::trust it is parsed and checked (form/weak_form/c_syntax.h).
// Errors (input): text that is not of the subset; one of its names cannot be evaluated in cells, or
// has a meaning of its own in C text (f0, f1, dim, real).
CText make_c_text(const FormSpec &spec, Elaborator &elaborator);

} // namespace weft
