#include "form/expression/shape.h"

#include <fmt/format.h>

namespace weft {

std::string to_string(const Shape &shape) {
  if (shape.empty())
    return "scalar";
  if (shape.size() == 1)
    return fmt::format("vector of {}", shape[0]);
  return fmt::format("{} x {} matrix", shape[0], shape[1]);
}

} // namespace weft
