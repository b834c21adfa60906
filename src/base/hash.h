// Content hashes for cache keys and file names (XXH3, 128 bits).
#pragma once

#include <string>
#include <string_view>

namespace weft {

// 32 hexadecimal digits.
std::string hash_hex(std::string_view bytes);

} // namespace weft
