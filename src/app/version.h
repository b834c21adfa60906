// The version of this program.
#pragma once

#include <string>

namespace weft {

inline std::string version() {
  return WEFT_VERSION;
}

} // namespace weft
