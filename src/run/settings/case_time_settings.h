// How a case is stepped through time.
#pragma once

#include "case/case.h"
#include "form/weak_form/form.h"
#include "solve/time/time_settings.h"

namespace weft {

// Of a case in time: puts in the scheme of a weak form where it names none: bdf2, for dt(dt())
// generalised_alpha, without dt() quasi_static; with explicit terms ars2 and ars3 in the place of
// dirk2 and dirk3; and which time derivatives results may use.
void choose_time_scheme(Case &c, const Form &form);

// Stops are the times of output and the end. Errors (input): times of output outside of the
// interval, far too many of them, fixed steps that would take forever.
TimeSettings make_time_settings(const TimeSpec &spec, const OutputSpec &output);

} // namespace weft
