// What ranks exchange in what a solve repeats, what that takes, and how much of it is hidden.
#pragma once

#include "run/explain/explain.h"

namespace weft {

// All, after the operators were made. None where the process is alone.
std::optional<ExplainedHalo> explain_halo(Simulation &s, int repeats);

std::string halo_text(const ExplainedHalo &halo);

} // namespace weft
