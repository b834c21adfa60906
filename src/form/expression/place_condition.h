// Conditions on a place, such as those that groups of a mesh are found by.
#pragma once

#include "case/form_spec.h"
#include "case/mesh_spec.h"

namespace weft {

// Evaluates conditions of x, y, z and parameters of the form that are the same everywhere.
// Errors (input): what an expression has, a value that is no condition, what differs in time or
// between groups, a parameter that may get other values.
ConditionAtPoints conditions_at_points(const FormSpec &form);

} // namespace weft
