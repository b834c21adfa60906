// How a case is stepped through time.
#pragma once

#include "case/case.h"
#include "solve/time/time_settings.h"

namespace weft {

// Stops are the times of output and the end. Errors (input): times of output outside of the
// interval, far too many of them, fixed steps that would take forever.
TimeSettings make_time_settings(const TimeSpec &spec, const OutputSpec &output);

} // namespace weft
