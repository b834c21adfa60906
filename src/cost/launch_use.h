// What a launch of a kernel takes of a GPU, where that can be told without one.
#pragma once

#include <cstdint>
#include <optional>

#include "base/precision.h"
#include "cost/warp_counts.h"

namespace weft {

struct LaunchUse {
  std::int64_t groups = 0;
  int group_size = 0;
  Precision precision = Precision::f64; // of its arithmetic
  // Of the whole launch, from some of its groups. Open: they could not be counted.
  std::optional<WarpCounts> warps;
  // Of a thread. Open: no assembler for the device, or none for one like it.
  std::optional<int> registers;
  double occupancy = 1; // threads there at once, over those that there is room for
};

} // namespace weft
