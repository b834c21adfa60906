// weft --version.
#pragma once

#include <string>

namespace weft {

// The version, and how this program was built, a fact a line.
std::string version_text();

} // namespace weft
