// An end for kernels that do not end: only C text that the user trusts can make such.
#pragma once

#include "run/simulation.h"

namespace weft {

// Where the case has C text that goes to the compiler as it is, and `limit_s` is not 0: from now on
// a single wait for the device that takes longer ends the process with exit code 3 and a message,
// after Simulation::save_unfinished() with the reason.
void watch_kernels(Simulation &s, double limit_s);

} // namespace weft
