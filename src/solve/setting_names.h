// Choices of solvers by the names that cases and callers of the library give them.
#pragma once

#include <map>
#include <string>

#include "solve/settings.h"

namespace weft {

const std::map<std::string, KrylovKind> &krylov_kind_names();
const std::map<std::string, MultigridCycle> &multigrid_cycle_names();
const std::map<std::string, SmootherKind> &smoother_names();

} // namespace weft
