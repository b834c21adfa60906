// Fields as files: one, or a piece of each rank and the file that names them.
#pragma once

#include <string>
#include <vector>

#include "op/evaluate/field_values.h"
#include "op/problem/discretisation.h"

namespace weft {

// All: `name` in the folder, as field_file() makes it: of one process a .vtu, of several a .pvtu.
void write_fields(const std::string &folder, const std::string &name, const Discretisation &d,
                  const std::vector<OutputField> &fields);

} // namespace weft
