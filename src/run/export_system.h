// The assembled system of a case as files for other programs.
#pragma once

#include <string>
#include <vector>

#include "run/simulation.h"

namespace weft {

// Writes A = F'(u) as <prefix>.mtx and b = -F(u) as <prefix>_rhs.mtx in the Matrix Market format, u
// being the initial state with its prescribed values: u + x with A x = b is the solution of a
// linear form, and Newton's first state of another. Rows and columns of prescribed dofs are those
// of the identity. Returns the paths. Errors: input where the operator is not assembled,
// unsupported for transient problems; system.
std::vector<std::string> export_system(Simulation &s, const std::string &prefix);

} // namespace weft
