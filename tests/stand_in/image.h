// What the stand-in for NVRTC makes and the one for the driver loads: a shared library of the host
// behind a line that says what it is for.
#pragma once

#include <cstdint>
#include <string>

namespace weft::stand_in {

constexpr char cubin_magic[] = "stand-in cubin\n"; // 15 characters and a zero

struct CubinHead {
  char magic[sizeof cubin_magic];
  std::int32_t capability; // 90
  std::int64_t bytes;      // of the library, which follows
};

// PTX is text: this, the capability, the end of the line, the library in hexadecimal digits, a
// zero.
constexpr char ptx_magic[] = "// stand-in PTX for compute_";

} // namespace weft::stand_in
