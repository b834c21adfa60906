// How launches over rows and cells are cut.
#pragma once

#include <cstdint>

namespace weft {

inline constexpr int gpu_group = 128; // work-items of a work-group on GPUs
// Work-items of a launch for each core of a CPU, so that all have work to its end.
inline constexpr std::int64_t fewest_items_a_core = 16;

// a / b, rounded up.
constexpr std::int64_t rounded_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

} // namespace weft
