// What tells one machine's processor from another's: an OpenCL CPU device's name does not.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

// Family, model, stepping, instruction set flags, cache sizes and core count of this machine, as
// one text.
std::string processor_identity();

// What processors that run the same code alike share, whatever their clock, caches and number of
// cores: "x86_64 family 26 model 2 avx512", "aarch64 implementer 0x41 part 0xd40 sve".
std::string processor_architecture();

// For people: "AMD EPYC, x86_64 family 25 model 17 avx512".
std::string processor_name();

// Size of the largest cache that the first processor uses; 0 where the system does not say.
std::uint64_t last_cache_bytes();

// Size of the largest cache that the first processor's core has for itself; 0 as above.
std::uint64_t core_cache_bytes();

// Memory this process may use: the machine's, or its control group's when that is less.
std::uint64_t host_memory_bytes();

} // namespace weft
