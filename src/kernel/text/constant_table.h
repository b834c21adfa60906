// Tables of integers in a kernel's text.
#pragma once

#include <string>
#include <vector>

namespace weft {

// The definition of a constant array of at least one entry.
std::string integer_table(const char *name, const std::vector<int> &values);

} // namespace weft
