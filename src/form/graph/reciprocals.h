// Divisions turned into multiplications.
#pragma once

#include "form/graph/pointwise.h"

namespace weft {

// The same function with each divisor that several quotients have in common inverted once: a
// division takes many times as long as a multiplication. Results differ in the last bit.
PointwiseFunction with_shared_reciprocals(const PointwiseFunction &function);

} // namespace weft
