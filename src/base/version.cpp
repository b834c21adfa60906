#include "base/version.h"

namespace weft {

std::string version() {
  return WEFT_VERSION;
}

} // namespace weft
