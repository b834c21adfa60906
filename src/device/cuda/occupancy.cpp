#include "device/cuda/occupancy.h"

#include <algorithm>
#include <array>

namespace weft {

namespace {

constexpr int threads_of_warp = 32;

struct Generation {
  int first_capability;
  MultiprocessorLimits limits;
};
constexpr int kib = 1024;
constexpr std::array generations = {
    Generation{50, {.shared_bytes = 64 * kib}},
    Generation{52, {.shared_bytes = 96 * kib}},
    Generation{60, {.shared_bytes = 64 * kib}},
    Generation{61, {.shared_bytes = 96 * kib}},
    Generation{62, {.shared_bytes = 64 * kib}},
    Generation{70, {.shared_bytes = 96 * kib}},
    Generation{75, {.warps = 32, .blocks = 16, .shared_bytes = 64 * kib}},
    Generation{80, {.shared_bytes = 164 * kib, .reserved_shared_bytes = kib}},
    Generation{
        86, {.warps = 48, .blocks = 16, .shared_bytes = 100 * kib, .reserved_shared_bytes = kib}},
    Generation{
        89, {.warps = 48, .blocks = 24, .shared_bytes = 100 * kib, .reserved_shared_bytes = kib}},
    Generation{90, {.shared_bytes = 228 * kib, .reserved_shared_bytes = kib}},
};

int round_up(int value, int unit) {
  return (value + unit - 1) / unit * unit;
}

} // namespace

MultiprocessorLimits multiprocessor_limits(int capability) {
  MultiprocessorLimits limits = generations.front().limits;
  for (const Generation &generation : generations)
    if (generation.first_capability <= capability)
      limits = generation.limits;
  return limits;
}

double occupancy(const CudaKernelUse &use, int group_size, const MultiprocessorLimits &limits) {
  const int warps = (group_size + threads_of_warp - 1) / threads_of_warp;
  const int registers_per_warp = round_up(std::max(use.registers, 1) * threads_of_warp, 256);
  // A warp's registers are of one of the four parts of the multiprocessor.
  const int warps_by_registers = limits.registers / 4 / registers_per_warp * 4;
  const int shared_per_block = round_up(use.shared_bytes + limits.reserved_shared_bytes, 128);
  int blocks = std::min({limits.blocks, limits.warps / warps, warps_by_registers / warps});
  if (shared_per_block > 0)
    blocks = std::min(blocks, limits.shared_bytes / shared_per_block);
  return static_cast<double>(blocks * warps) / limits.warps;
}

} // namespace weft
