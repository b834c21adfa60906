// Shapes of values, in words.
#pragma once

#include <string>

#include "case/form_spec.h"

namespace weft {

std::string to_string(const Shape &shape); // "scalar", "vector of 3", "3 x 3 matrix"

} // namespace weft
