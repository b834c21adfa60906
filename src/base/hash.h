// Content hashes for cache keys and file names (XXH3).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

// 32 hexadecimal digits: 128 bits.
std::string hash_hex(std::string_view bytes);

// For sums of many.
std::uint64_t hash_64(std::string_view bytes);

} // namespace weft
