// How many dofs of a solution are at their bounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/precision.h"
#include "op/problem/discretisation.h"

namespace weft {

struct FieldAtBounds {
  std::string field;
  std::int64_t lower = 0, upper = 0; // dofs of all ranks
};

// All: of each field that has bounds. `state`: [dof], computed in that precision, to which bounds
// are rounded.
std::vector<FieldAtBounds> dofs_at_bounds(const Case &c, const Discretisation &d,
                                          const std::vector<double> &state, Precision precision);

} // namespace weft
