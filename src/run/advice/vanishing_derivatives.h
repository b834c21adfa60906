// Second derivatives that elements of first order lack.
#pragma once

#include <string>
#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// A remark on each field of order 1 whose second derivatives a form has, and which has none, as all
// cells are straight simplices.
std::vector<std::string> vanishing_derivatives(const Discretisation &d);

} // namespace weft
