// Time derivatives as implicit schemes have them: dt(u) = shift * u + offset, where the offset is
// made of states already known.
#pragma once

#include "form/graph/pointwise.h"

namespace weft {

// The function with field_rate and direction_rate expressed by field, direction, rate_offset and
// shift; the same function where it has neither.
PointwiseFunction with_shift(const PointwiseFunction &function);

} // namespace weft
