// Timings of weft bench fv and, in turn with them, of what the cache model is made from: memory,
// caches and cores of shared machines drift within seconds, each in its own way.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tune/machine_figures.h"
#include "tune/machine_probe.h"
#include "tune/micro_benchmark.h"

namespace weft {

struct FvSample {
  double seconds = 0;
  double read_gbps = 0; // bandwidth of reading just before and just after
};

struct FvTiming {
  std::vector<FvSample> samples;
  // Medians of what was measured meanwhile, and what was known before of the rest. Those of memory
  // are for `read_gbps`.
  MachineFigures figures;
  double read_gbps = 0;
  // The figures as they are at a sample's bandwidth.
  MachineFigures at(const FvSample &sample) const;
};

class FvTimer {
public:
  // `figures`: of what is not measured here. `quick`: of small sizes, for tests.
  FvTimer(Device &device, Precision precision, const MachineFigures &figures, bool quick);
  // Times `work`, which is waited for, between two readings of memory, in turn with what the model
  // is made from. Timings during which the bandwidth changed by more than 6% are taken again, three
  // times at most; these, and what was measured beside disturbed cores (slower than the best by
  // 7%), is dropped, but for a third of `repeats`.
  FvTiming time(int repeats, const std::function<void()> &work);

private:
  FvSample sample(const std::function<void()> &work, double &change);
  void measure_memory();
  std::vector<double> measure_figures(); // [benchmark], but for memory

  Device &device_;
  const MachineFigures &known_;
  MachineProbe probe_;
  MicroBenchmark core_;
  std::vector<MicroBenchmark> benchmarks_;
  // Of memory, over the bandwidth of reading: all that was measured so far. How kinds of access
  // compare does not drift as they do.
  std::map<std::string, std::vector<double>> memory_;
};

} // namespace weft
