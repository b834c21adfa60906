// The precision of numbers on a device, as a value (host code is not templated on it).
#pragma once

#include <cstddef>
#include <string>

namespace weft {

// f64 and f32 are computed in. f16 (IEEE binary16) and bf16 (the upper half of an f32) are only
// stored in: what is read from them is computed with in f32, and rounded to nearest even when it is
// written.
enum class Precision { f64, f32, f16, bf16 };

inline std::size_t size_bytes(Precision p) {
  return p == Precision::f64 ? 8 : p == Precision::f32 ? 4 : 2;
}
// In which numbers stored in `p` are computed with.
inline Precision arithmetic_precision(Precision p) {
  return p == Precision::f64 ? Precision::f64 : Precision::f32;
}
inline std::string to_string(Precision p) {
  switch (p) {
  case Precision::f64:
    return "f64";
  case Precision::f32:
    return "f32";
  case Precision::f16:
    return "f16";
  case Precision::bf16:
    return "bf16";
  }
  return {};
}

} // namespace weft
