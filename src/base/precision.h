// The precision of numbers on a device, as a value (host code is not templated on it).
#pragma once

#include <cstddef>
#include <string>

namespace weft {

enum class Precision { f64, f32 };

inline std::size_t size_bytes(Precision p) {
  return p == Precision::f64 ? 8 : 4;
}
inline std::string to_string(Precision p) {
  return p == Precision::f64 ? "f64" : "f32";
}

} // namespace weft
