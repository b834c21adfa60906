// Whether what functionals ask of an adjoint problem is there.
#pragma once

#include "case/case.h"
#include "op/problem/discretisation.h"

namespace weft {

// Whether some functional of the case asks for its error, or for a gradient.
bool asks_for_errors(const Case &c);
bool asks_for_gradients(const Case &c);

// Errors: unsupported (in time, load steps, conservation laws, C text, several ranks, fields that
// have no next order), input (see parameter_named()); each names the functional.
void check_adjoint(const Case &c, const Discretisation &d);

} // namespace weft
