// Values at points where solutions have no limit under refinement.
#pragma once

#include <string>
#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// Remarks on functionals at points where forces act; on those of gradients in corners that point
// inwards, and where a support ends. Of a part of a mesh none: its corners are not whole.
std::vector<std::string> singular_points(const Case &c, const Discretisation &d);

} // namespace weft
