// A problem on its mesh in words, for `weft check`.
#pragma once

#include <string>

#include "case/case.h"
#include "op/problem/discretisation.h"

namespace weft {

// Fields with their dofs and what follows from the mesh; lines.
std::string space_text(const Discretisation &d);
// What is integrated, or the law; lines.
std::string equations_text(const Case &c, const Discretisation &d);

} // namespace weft
