#include "base/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace weft {

std::string hash_hex(std::string_view bytes) {
  const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", h.high64, h.low64);
}

std::uint64_t hash_64(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

} // namespace weft
