#include "base/version.h"

#include "base/commit.h"

namespace weft {

std::string version() {
  return WEFT_VERSION;
}

std::string commit() {
  return WEFT_COMMIT;
}

} // namespace weft
