// The version of this program.
#pragma once

#include <string>

namespace weft {

std::string version(); // "0.1.0"

} // namespace weft
