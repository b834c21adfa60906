// Tables of constants in a kernel's text.
#pragma once

#include <string>
#include <vector>

#include "base/precision.h"

namespace weft {

// The definition of a constant array of at least one entry.
std::string integer_table(const char *name, const std::vector<int> &values);

// What comes before the dialect: CUDA has the tables of constants that `tables` defines elsewhere
// where they are larger than constant memory, or `apart`: where work-items of a group read
// different entries at once, which constant memory gives one after the other.
std::string tables_head(const std::string &backend, const std::string &tables, Precision precision,
                        bool apart = false);

} // namespace weft
