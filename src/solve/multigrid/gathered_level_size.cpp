#include "solve/multigrid/gathered_level_size.h"

#include <algorithm>

namespace weft {

namespace {

// Of a level in a V cycle with two steps of smoothing on either side: before each product with its
// vectors but the first, which is with zero, and before both transfers.
constexpr double exchanges_a_level = 6;
constexpr double exchange_s = 60e-6; // mostly waiting for queued kernels
// Of a row of a coarse level in those products: 45 entries of 16 bits and their columns, vectors.
constexpr double bytes_a_row = 1000;
constexpr double bytes_a_core = 8e9, gpu_bytes = 1e12; // a second
constexpr double most = 100'000; // above, its set-up on every rank would count

} // namespace

std::int64_t gathered_level_size(const DeviceInfo &device, Communicator &ranks) {
  const double rate = device.is_cpu ? bytes_a_core * std::max(1, device.compute_units) : gpu_bytes;
  const double repeated = 1 - 1. / ranks.size(); // share of the work that another rank does too
  const double size = exchanges_a_level * exchange_s * rate / bytes_a_row / repeated;
  return static_cast<std::int64_t>(smallest(&ranks, std::min(size, most)));
}

} // namespace weft
