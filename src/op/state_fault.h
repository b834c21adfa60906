// Where in the mesh a state is not what it should be, for messages.
#pragma once

#include <string>
#include <vector>

#include "op/discretisation.h"

namespace weft {

// "u is nan in the cell at (0.25, 0.5)": the first dof that is not finite; else of a law the first
// node whose wave speed is not; else the dof of the largest size. state: [dof].
std::string describe_fault(const Discretisation &d, const std::vector<double> &state);

} // namespace weft
