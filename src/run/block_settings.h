// The blocks of a case's fields, as its solver preconditions them.
#pragma once

#include "run/simulation.h"

namespace weft {

// By [solver.blocks] where it names a field, else by what the form says. Error (input): a field
// that is not there; `mass` of a field that constrains no other's gradient.
std::vector<BlockSettings> make_block_settings(const Simulation &s,
                                               const MultigridSettings &multigrid);

} // namespace weft
