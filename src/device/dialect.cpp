#include "device/dialect.h"

#include "base/embedded.h"

namespace weft {

std::string dialect_text(const std::string &backend) {
  return embedded_text("kernels/dialect/" + backend + ".h");
}

std::string stored_dialect_text(const std::string &backend) {
  return embedded_text("kernels/dialect/stored.h") +
         embedded_text("kernels/dialect/" + backend + "_stored.h");
}

} // namespace weft
