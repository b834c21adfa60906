// A form as text that people read: `weft check CASE --stage form`.
#pragma once

#include <string>

#include "form/law/conservation_law.h"
#include "form/weak_form/form.h"

namespace weft {

// In the case language: "grad(T)[0]", "minus(u[1])", "n[0]"; d(T) is the direction of the
// linearisation, s*d(T) its rate; table entries by their names.
std::string symbol_text(const Form &form, const Symbol &symbol);

// Every integral with its residual and linearised outputs: values used more than once first, as
// v1, v2, ..., then the outputs that are not zero, "f1(T)[0] = k*grad(T)[0]".
std::string form_text(const Form &form);

// How a law of finite volumes sees facets: "finite volumes: linear reconstruction, limiter
// venkatakrishnan; two-point diffusion".
std::string finite_volume_text(const ConservationLaw &law);

// The functions of a law in the same way, with those of each boundary condition. `form`: its fields
// and tables.
std::string law_text(const ConservationLaw &law, const Form &form);

} // namespace weft
