// What tells one machine's processor from another's: an OpenCL CPU device's name does not.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

// Family, model, stepping, instruction set flags, cache sizes and core count of this machine, as
// one text.
std::string processor_identity();

// Memory this process may use: the machine's, or its control group's when that is less.
std::uint64_t host_memory_bytes();

} // namespace weft
