// What ranks exchange in a stage of a scheme in time, what that takes, and how much of it is
// hidden.
#pragma once

#include "run/explain/explain.h"

namespace weft {

// All, after the operators were made. None where the process is alone.
std::optional<ExplainedHalo> explain_halo(Simulation &s, int repeats);

std::string halo_text(const ExplainedHalo &halo);

} // namespace weft
