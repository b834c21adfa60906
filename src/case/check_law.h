// What a case with a conservation law must hold, and one without it must not.
#pragma once

#include "case/case.h"

namespace weft {

// Puts in the time scheme that is the default of the equations, and a law's settings that are the
// default of its element (but for the limiter of finite volumes, which the flux decides).
// Errors (input), with file and line: a weak form beside a law, elements that do not belong to the
// equations, fields of a law of different elements, settings of another element, a field without an
// equation, unknown fields, [dirichlet] with a law and [boundary] without, a time scheme, `cfl` or
// adaptive steps that the equations do not have.
void check_law(Case &c);

} // namespace weft
