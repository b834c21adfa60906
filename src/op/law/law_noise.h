// States of a conservation law that look random.
#pragma once

#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// [dof]: values in [-1, 1] by the numbers of cells in the file of the mesh, so that they do not
// depend on how it is cut and ordered; 0 in cells of other ranks.
std::vector<double> law_noise(const Discretisation &d);

} // namespace weft
