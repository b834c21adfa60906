// The diagonal of a field's mass matrix.
#pragma once

#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// [dof of the field]: the integrals over all cells of the squares of its basis functions.
std::vector<double> mass_diagonal(const Discretisation &d, int field);

} // namespace weft
