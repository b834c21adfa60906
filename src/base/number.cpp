#include "base/number.h"

#include <cmath>
#include <fmt/format.h>

#include "base/error.h"

namespace weft {

std::string format_real(double value) {
  return fmt::format("{}", value);
}

std::string format_literal(double value, Precision precision) {
  require(std::isfinite(value), "a literal in a kernel must be finite");
  std::string text = precision == Precision::f64 ? fmt::format("{}", value)
                                                 : fmt::format("{}", static_cast<float>(value));
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  if (precision == Precision::f32)
    text += "f";
  return value < 0 || std::signbit(value) ? "(" + text + ")" : text;
}

} // namespace weft
