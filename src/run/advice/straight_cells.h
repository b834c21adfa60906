// Curved boundaries that straight cells cut off.
#pragma once

#include <string>
#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// All: a remark where elements of order 2 or more lie on straight cells, and boundaries look
// curved: facets of a group, most of which meet at a small angle.
std::vector<std::string> straight_cells(const Case &c, const Discretisation &d);

} // namespace weft
