// Solutions that the equations determine but for a constant or a rigid motion.
#pragma once

#include "run/simulation.h"

namespace weft {

// Looks for what the equations leave open, at the state that solves start from, and fixes a dof for
// each: the operators are made anew then. Says so in a notice. Errors (input): sources and fluxes
// that do not balance; [mean] of a field that nothing leaves open.
void fix_open_motions(Simulation &s);

// Gives the fields of a solution the means that [mean] asks for, 0 else, and takes out turns.
void set_open_motions(const Simulation &s, std::vector<double> &state);

} // namespace weft
