#include "device/dialect.h"

#include <fmt/format.h>

#include "base/embedded.h"

namespace weft {

std::string dialect_text(const std::string &backend) {
  return embedded_text("kernels/dialect/" + backend + ".h");
}

std::string program_head(const std::string &backend, Precision precision, int lanes) {
  return fmt::format("#define WEFT_LANES {}\n#define WEFT_REAL_{}\n", lanes,
                     precision == Precision::f64 ? "F64" : "F32") +
         dialect_text(backend);
}

std::string stored_dialect_text(const std::string &backend) {
  return embedded_text("kernels/dialect/stored.h") +
         embedded_text("kernels/dialect/" + backend + "_stored.h");
}

} // namespace weft
