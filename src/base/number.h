// Numbers as text that reads back to the same bits.
#pragma once

#include <string>

#include "base/precision.h"

namespace weft {

// Shortest decimal text that reads back exactly ("0.1", "1e-30").
std::string format_real(double value);

// A C literal of the given precision: "0.1", "2.0", "0.1f"; negative numbers in parentheses.
// Throws an invariant error for infinities and NaN.
std::string format_literal(double value, Precision precision);

} // namespace weft
