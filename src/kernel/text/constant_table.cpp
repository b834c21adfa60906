#include "kernel/text/constant_table.h"

#include <fmt/format.h>

namespace weft {

std::string integer_table(const char *name, const std::vector<int> &values) {
  std::string text = fmt::format("WEFT_CONSTANT i32 {}[{}] = {{", name, values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i % 16 == 0 ? ",\n" : ", ", values[i]);
  return text + "};\n";
}

} // namespace weft
