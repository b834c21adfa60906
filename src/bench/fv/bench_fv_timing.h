// Timings of weft bench fv and, in turn with them, of what the cache model is made from: memory,
// caches and cores of shared machines drift within seconds, each in its own way.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tune/disturbance.h"
#include "tune/machine_figures.h"
#include "tune/measure/machine_probe.h"
#include "tune/measure/micro_benchmark.h"

namespace weft {

struct FvSample {
  double seconds = 0;
  double read_gbps = 0; // bandwidth of reading just before and just after
  // Medians of what was measured meanwhile, and what was known before of the rest. Those of memory
  // are of times when it gave about that bandwidth.
  MachineFigures figures;
};

struct FvSamples {
  std::vector<FvSample> kept;
  TimingEvidence evidence;
};

class FvTimer {
public:
  // `figures`: of what is not measured here. `quick`: of small sizes, for tests.
  FvTimer(Device &device, Precision precision, const MachineFigures &figures, bool quick);
  // Times `work`, which is waited for, between two readings of memory, in turn with what the model
  // is made from; `repeats` times, and up to three times as often until the median of the timings
  // is known to 3%. Timings during which the bandwidth changed by more than 6% are taken again,
  // three times at most; these, and what was measured beside disturbed cores (slower than the best
  // by 7%), are dropped, but for a third.
  FvSamples time(int repeats, const std::function<void()> &work);

private:
  FvSample sample(const std::function<void()> &work, double &change);
  void measure_memory();
  std::vector<double> measure_figures(); // [benchmark], but for memory
  double memory_figure(const std::string &name, double read_gbps) const;

  Device &device_;
  const MachineFigures &known_;
  MachineProbe probe_;
  MicroBenchmark core_;
  std::vector<MicroBenchmark> benchmarks_;
  struct Reading {
    double value = 0;
    double read_gbps = 0; // just before and just after
  };
  // Of memory: all that was measured so far. How kinds of access compare does not drift as they do,
  // but depends on what memory gives: what memory bounds at 33 GB/s, cores may bound at 58.
  std::map<std::string, std::vector<Reading>> memory_;
};

} // namespace weft
