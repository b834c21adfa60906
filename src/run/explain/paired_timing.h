// Timing beside the machine's limits: bandwidth and speed of shared machines drift by a factor of
// two within seconds, so that what is compared with them is timed in turn with them.
#pragma once

#include <functional>
#include <vector>

#include "base/system/processor_use.h"
#include "cost/kernel_record.h"
#include "tune/disturbance.h"
#include "tune/measure/machine_probe.h"
#include "tune/measure/micro_benchmark.h"

namespace weft {

// One timing and the state of the machine just after it.
struct PairedSample {
  double seconds = 0;
  double stream_gbps = 0;
  double peak_gflops = 0;
  double core_gops = 0; // of core_benchmark(), before and after: the state of the cores
  double finish_us = 0; // latency.finish.us
  // Seconds that so many bytes and operations take at least.
  double limit_s(double bytes, double flops) const;
};

// Timings of one work, and what is known of how they were taken.
struct PairedSamples {
  std::vector<PairedSample> kept;
  int num_taken = 0;       // with those that were dropped
  int num_undisturbed = 0; // of num_taken, beside undisturbed cores
  OthersUse others;        // while they were taken

  void add(const PairedSamples &more);
  // One that is kept.
  void add(const PairedSample &sample, bool undisturbed);
  TimingEvidence evidence() const;
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
  PairedSamples time(int repeats, const std::function<void()> &work,
                     const StreamKind *stream = nullptr, double undisturbed_gops = 0);
  // A timing taken just now, with the state of the machine.
  PairedSample beside(double seconds, const StreamKind *stream = nullptr);
  const DeviceInfo &device() const { return device_.info(); }

private:
  Device &device_;
  MachineProbe probe_;
  MicroBenchmark multiply_add_, core_, finish_;
};

// Median of a figure of the samples.
double median(const PairedSamples &samples,
              const std::function<double(const PairedSample &)> &figure);

// Whether what so many bytes are moved of lies in the last cache of a device that says its size.
bool fits_last_cache(const DeviceInfo &device, double bytes);

// Fills in the record's time, the machine's limits, the share of them that its bytes and flops
// take, and what disturbed the timings.
void set_limits(KernelRecord &record, const PairedSamples &samples, const DeviceInfo &device);

} // namespace weft
