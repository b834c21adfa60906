// GPUs that need not be there: what their makers and published measurements say of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/cuda/occupancy.h"

namespace weft {

// None of these figures is fitted to kernels of ours. Rates and bandwidths are the makers' upper
// limits: what runs reaches less.
struct Card {
  std::string key;          // "h100", as --model and --device model:h100 have it
  std::string name, vendor; // "NVIDIA H100 SXM"
  std::string architecture; // "sm_90"; empty where NVIDIA's assembler knows nothing of it
  int units = 0;            // multiprocessors, compute units
  double clock_ghz = 0;     // of these, with boost
  double memory_gb = 0;     // 1e9 bytes
  double memory_gbps = 0;
  double cache_mb = 0;                   // 1e6 bytes, shared by all units; 0: none
  double cache_gbps = 0;                 // of it; 0: not published
  double memory_latency_s = 0;           // of a load that no cache serves; 0: not published
  double f64_gflops = 0, f32_gflops = 0; // two a multiply-add; f64 0: it has none
  int block_shared_bytes = 49152;        // of local memory, that a work-group may have
  int max_work_group = 1024;
  MultiprocessorLimits limits;
  std::string sources;

  // Bytes of local memory that all units read in a second: 32 banks of 4 bytes, each clock.
  double shared_gbps() const { return 128 * clock_ghz * units; }
};

// A launch beside its kernel's own time, from NVIDIA's blog "Getting Started with CUDA Graphs"
// (2019), on a V100: 3.8 us a kernel of 2.9 us where launches are queued.
inline constexpr double card_launch_s = 0.9e-6;

const std::vector<Card> &cards();

// By its key, or from a JSON file, a name that ends in .json: {"like": "h100", "memory_gbps":
// 2000}, by the names of card_text.h; without "like" all that a card needs. `place` says where the
// name stands. Throws `input`.
Card find_card(const std::string &name, const std::string &place);
// Of --device model:NAME; null for a device that is there.
std::optional<Card> card_of_device(const std::string &device);

} // namespace weft
