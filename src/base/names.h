// Helping a user who mistyped: the nearest known name.
#pragma once

#include <string>
#include <vector>

namespace weft {

// The entry of `known` with the smallest edit distance to `name`; empty when none is close: at most
// half of the letters differ, of three letters one.
std::string nearest_name(const std::string &name, const std::vector<std::string> &known);

// "a, b, c" in the given order.
std::string join_names(const std::vector<std::string> &names);

} // namespace weft
