// Bandwidth and multiply-add rate, for what is timed in turn with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/precision.h"
#include "device/device.h"
#include "tune/measure/micro_benchmark.h"

namespace weft {

// One way of streaming through memory and its counted bytes (write-allocate not counted).
struct StreamKind {
  std::string name; // "triad_stream"
  int arrays;       // read or written
};

class MachineProbe {
public:
  // Arrays of `array_bytes` each; three are allocated.
  MachineProbe(Device &device, Precision precision, std::uint64_t array_bytes);

  // GB/s of one pass of a kind; waits.
  double stream_gbps(const StreamKind &kind);
  // The best of all kinds but pure writes and read_ahead, by medians of several passes taken at the
  // first call.
  const StreamKind &best_stream();
  // GFlop/s of independent multiply-adds on all cores (best of several passes).
  double peak_gflops();

  static const std::vector<StreamKind> &kinds();
  static const StreamKind &read_stream() { return kinds().front(); }

private:
  Device &device_;
  Precision precision_;
  MicroShape shape_;
  std::int64_t num_lanes_;
  Buffer a_, b_, c_;
  Program streams_;
  std::optional<StreamKind> best_;
};

} // namespace weft
