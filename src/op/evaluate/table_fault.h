// Whether a state stays within the tables of its case.
#pragma once

#include <string>
#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// Whether there is a table that a state must not leave.
bool has_bounded_tables(const Case &c);

// "T goes to 412.3, outside the table of [parameters] k (20 to 400)": of the first parameter whose
// argument leaves its table at a node or quadrature point, at the discretisation's time, where the
// case does not say what it is outside; empty where none does. All ranks call it. state: [dof].
std::string table_fault(const Case &c, const Discretisation &d, const std::vector<double> &state);

} // namespace weft
