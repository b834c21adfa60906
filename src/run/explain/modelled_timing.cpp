#include "run/explain/modelled_timing.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "run/kernel_timing.h"

namespace weft {

ModelledTimer::ModelledTimer(Device &device, Precision precision, const MachineFigures &figures)
    : device_(device), precision_(precision), figures_(figures), timer_(device, precision) {
  // Bandwidth of memory is measured in one precision.
  stream_gbps_ = figures.at(fmt::format("memory.{}.{}.gbps", timer_.probe().best_stream().name,
                                        device.info().has_f64 ? "f64" : "f32"));
  peak_gflops_ = 2 * figures.at(fmt::format("rate.multiply_add.{}.gops", to_string(precision)));
  core_gops_ = figures.at(timer_.core_figure());
  finish_us_ = figures.at("latency.finish.us");
}

MachineState ModelledTimer::state_of(const PairedSample &sample) const {
  return {.memory = sample.stream_gbps / stream_gbps_,
          .operations = sample.peak_gflops / peak_gflops_,
          .cores = sample.core_gops / core_gops_,
          .latency = sample.finish_us / finish_us_};
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
    return predict(costs, precision_, device_.info(), at_state(figures_, state_of(s))).seconds;
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
  const PairedSample usual{
      .stream_gbps = median(samples, [](const auto &s) { return s.stream_gbps; }),
      .peak_gflops = median(samples, [](const auto &s) { return s.peak_gflops; }),
      .core_gops = median(samples, [](const auto &s) { return s.core_gops; }),
      .finish_us = median(samples, [](const auto &s) { return s.finish_us; })};
  return predict(costs, precision_, device_.info(), at_state(figures_, state_of(usual)));
}

std::string prediction_errors(const std::vector<double> &predicted_over_measured) {
  std::vector<double> errors;
  for (const double ratio : predicted_over_measured)
    errors.push_back(std::abs(ratio - 1));
  return fmt::format("error of the prediction {:.1f}% in the median, {:.1f}% at worst",
                     100 * median(errors), 100 * *std::max_element(errors.begin(), errors.end()));
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
