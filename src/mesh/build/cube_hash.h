// Hashes of the cubes of a grid.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace weft {

// The number of the cube that lies at `x`, in sides of a cube, along an axis.
inline std::int64_t cube_index(double x) {
  return static_cast<std::int64_t>(std::floor(std::clamp(x, -9e18, 9e18)));
}

// A cube's hash from what goes before, one index after the other.
inline std::uint64_t hash_with_index(std::uint64_t hash, std::int64_t index) {
  hash = (hash ^ static_cast<std::uint64_t>(index)) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

} // namespace weft
