#include "run/explain/modelled_timing.h"

#include <fmt/format.h>

namespace weft {

ModelledTimer::ModelledTimer(Device &device, Precision precision, const MachineFigures &figures)
    : device_(device), precision_(precision), figures_(figures), timer_(device, precision) {
  // Bandwidth of memory is measured in one precision.
  stream_gbps_ = figures.at(fmt::format("memory.{}.{}.gbps", timer_.probe().best_stream().name,
                                        device.info().has_f64 ? "f64" : "f32"));
  peak_gflops_ = 2 * figures.at(fmt::format("rate.multiply_add.{}.gops", to_string(precision)));
  core_gops_ = figures.at(timer_.core_figure());
}

MachineState ModelledTimer::state_of(double stream_gbps, double peak_gflops,
                                     double core_gops) const {
  return {.memory = stream_gbps / stream_gbps_,
          .operations = peak_gflops / peak_gflops_,
          .cores = core_gops / core_gops_};
}

PairedSamples ModelledTimer::time(int repeats, const std::function<void()> &work) {
  return timer_.time(repeats, work, nullptr, core_gops_);
}

PairedSample ModelledTimer::beside(double seconds) {
  return timer_.beside(seconds);
}

bool ModelledTimer::is_undisturbed(const PairedSample &sample) const {
  return sample.core_gops >= (1 - disturbed_core) * core_gops_;
}

ModelledTime ModelledTimer::compare(const PairedSamples &samples,
                                    const std::vector<NamedCost> &costs, double flops,
                                    double bytes) {
  const auto predicted = [&](const PairedSample &s) {
    return predict(costs, precision_, device_.info(),
                   at_state(figures_, state_of(s.stream_gbps, s.peak_gflops, s.core_gops)))
        .seconds;
  };
  ModelledTime time{
      .seconds = median(samples, [](const auto &s) { return s.seconds; }),
      .predicted_s = median(samples, predicted),
      .stream_gbps = median(samples, [](const auto &s) { return s.stream_gbps; }),
      .peak_gflops = median(samples, [](const auto &s) { return s.peak_gflops; }),
      .fraction =
          median(samples, [&](const auto &s) { return s.limit_s(bytes, flops) / s.seconds; }),
      .disturbance = {},
      .in_cache = fits_last_cache(device_.info(), bytes)};
  time.disturbance = find_disturbance(samples.evidence(), time.fraction, time.in_cache);
  return time;
}

Prediction ModelledTimer::predicted(const PairedSamples &samples,
                                    const std::vector<NamedCost> &costs) {
  const double stream = median(samples, [](const auto &s) { return s.stream_gbps; });
  const double peak = median(samples, [](const auto &s) { return s.peak_gflops; });
  const double core = median(samples, [](const auto &s) { return s.core_gops; });
  return predict(costs, precision_, device_.info(),
                 at_state(figures_, state_of(stream, peak, core)));
}

void set_time(KernelRecord &record, const ModelledTime &time) {
  record.seconds = time.seconds;
  record.predicted_s = time.predicted_s;
  record.stream_gbps = time.stream_gbps;
  record.peak_gflops = time.peak_gflops;
  record.fraction = time.fraction;
  record.disturbance = time.disturbance;
  record.in_cache = time.in_cache;
}

} // namespace weft
