// Measured beside predicted time, in the same states of the machine.
#pragma once

#include <functional>
#include <vector>

#include "cost/kernel_cost.h"
#include "cost/kernel_record.h"
#include "run/explain/paired_timing.h"
#include "tune/model/performance_model.h"

namespace weft {

// Medians over the samples kept.
struct ModelledTime {
  double seconds = 0;
  double predicted_s = 0; // each sample by the machine's figures at its state
  double stream_gbps = 0;
  double peak_gflops = 0;
  double fraction = 0;     // of the longer of the costs' bytes and flops at the machine's limits
  std::string disturbance; // what disturbed the samples, in words; empty: nothing that shows
  bool in_cache = false;   // the bytes fit into the last cache
};

class ModelledTimer {
public:
  // `figures` must outlive it.
  ModelledTimer(Device &device, Precision precision, const MachineFigures &figures);

  // As those of PairedTimer; cores are undisturbed where they reach what the figures say.
  PairedSamples time(int repeats, const std::function<void()> &work);
  PairedSample beside(double seconds);
  // Whether cores reached what the figures say of them.
  bool is_undisturbed(const PairedSample &sample) const;
  // `costs`: of the launches of what was timed; `flops`, `bytes`: what it needs.
  ModelledTime compare(const PairedSamples &samples, const std::vector<NamedCost> &costs,
                       double flops, double bytes);

  // Term by term, at the median state of the samples.
  Prediction predicted(const PairedSamples &samples, const std::vector<NamedCost> &costs);

private:
  Device &device_;
  Precision precision_;
  const MachineFigures &figures_;
  PairedTimer timer_;
  MachineState state_of(const PairedSample &sample) const;
  double stream_gbps_ = 0, peak_gflops_ = 0, core_gops_ = 0, finish_us_ = 0; // of the figures
};

// Median and largest of |ratio - 1| over the ratios of predicted to measured times, of which there
// is one at least, in words.
std::string prediction_errors(const std::vector<double> &predicted_over_measured);

// Fills in what was measured and predicted.
void set_time(KernelRecord &record, const ModelledTime &time);

} // namespace weft
