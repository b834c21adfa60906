// Timing beside the machine's limits: bandwidth and speed of shared machines drift by a factor of
// two within seconds, so that what is compared with them is timed in turn with them.
#pragma once

#include <functional>
#include <vector>

#include "tune/machine_probe.h"
#include "tune/micro_benchmark.h"

namespace weft {

// One timing and the state of the machine just after it.
struct PairedSample {
  double seconds = 0;
  double stream_gbps = 0;
  double peak_gflops = 0;
  double core_gops = 0; // of core_benchmark(), before and after: the state of the cores
  // Seconds that so many bytes and operations take at least.
  double limit_s(double bytes, double flops) const;
};

class PairedTimer {
public:
  PairedTimer(Device &device, Precision precision);
  MachineProbe &probe() { return probe_; }
  // The machine's figure that PairedSample::core_gops is of.
  const std::string &core_figure() const { return core_.figure; }
  // Times `work`, which is waited for, in turn with the bandwidth, the multiply-add rate and the
  // state of the cores (A B A B ...). Pairs in which cores were disturbed (slower than the best by
  // 7%; a third of `repeats` is kept however slow), and pairs across a change of the machine's
  // state (the bandwidth differs by more than a fifth from the median of the others), are dropped.
  // The bandwidth is that of `stream`, or else of the best kind. Where it is known what undisturbed
  // cores reach, timing goes on until there are `repeats` pairs beside such, for six times as many
  // pairs at most.
  std::vector<PairedSample> time(int repeats, const std::function<void()> &work,
                                 const StreamKind *stream = nullptr, double undisturbed_gops = 0);
  // A timing taken just now, with the state of the machine.
  PairedSample beside(double seconds, const StreamKind *stream = nullptr);

private:
  Device &device_;
  MachineProbe probe_;
  MicroBenchmark multiply_add_, core_;
};

// Median of a figure of the samples.
double median(const std::vector<PairedSample> &samples,
              const std::function<double(const PairedSample &)> &figure);

} // namespace weft
