// [solver.newton] valid: where the equations may be asked for.
#pragma once

#include <functional>
#include <vector>

#include "run/simulation.h"

namespace weft {

// Whether a state [dof] meets the condition at every point of integration over cells; null where
// the case has none. The simulation must outlive it. Error (input): what is no condition on the
// fields.
std::function<bool(const std::vector<double> &state)> state_condition(const Simulation &s);

} // namespace weft
