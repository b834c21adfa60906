// Dofs as messages name them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solve/settings.h"

namespace weft {

// "row 12, field u, component 1, node 5"; without the names of fields where these have none, and
// the row alone without fields.
std::string name_of_dof(std::int64_t dof, const std::vector<FieldDofs> &fields);

} // namespace weft
