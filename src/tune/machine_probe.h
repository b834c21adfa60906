// What the machine can do, measured on the device itself: memory bandwidth, multiply-add rate.
#pragma once

#include <string>
#include <vector>

#include "base/precision.h"
#include "device/device.h"

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
  // All kinds, several passes each: the best one and its median GB/s.
  const StreamKind &best_stream() const { return best_; }
  // GFlop/s of independent multiply-adds on all cores (best of several passes).
  double peak_gflops();

  static const std::vector<StreamKind> &kinds();

private:
  Device &device_;
  Precision precision_;
  int lanes_;
  std::int64_t num_lanes_;
  Buffer a_, b_, c_;
  Program program_;
  Launch launch_;
  StreamKind best_;
};

} // namespace weft
