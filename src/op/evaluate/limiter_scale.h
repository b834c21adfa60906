// How large the changes of a law's fields are, for what a limiter takes as small.
#pragma once

#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// [component of all fields in a row]: the range of its field, over the initial values and the
// states outside that boundary conditions give of them when time starts, the widest of the field's
// components; of a field that is the same everywhere its largest magnitude. So a field in other
// units, or of a vector one that is turned, is limited as before; 0 of a field that is 0
// everywhere, of which no change is known to be small.
std::vector<double> limiter_scales(const Case &c, const Discretisation &d);

} // namespace weft
