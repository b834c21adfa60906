#include "run/explain/paired_timing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "run/kernel_timing.h"

namespace weft {

namespace {

// Larger than caches that matter, small enough to be streamed between two timings.
constexpr std::uint64_t probe_bytes = std::uint64_t{256} << 20;
constexpr double reference_s = 3e-3;
constexpr double largest_drift = 0.2;
constexpr int most_pairs = 6; // for each that is wanted, while cores are disturbed

} // namespace

double PairedSample::limit_s(double bytes, double flops) const {
  return std::max(bytes / stream_gbps, flops / peak_gflops) * 1e-9;
}

PairedTimer::PairedTimer(Device &device, Precision precision)
    : device_(device), probe_(device, precision, probe_bytes),
      multiply_add_(multiply_add_benchmark(device, precision, reference_s)),
      core_(core_benchmark(device, precision, reference_s)),
      finish_(latency_benchmarks(device).front()) {}

// What a pass has stored lies in the last cache when it ends and is written to memory later: by a
// second pass, which is the one that counts, or else in the time of what comes next, from which a
// pass that only reads keeps it away. (On two cores with 32 MB of cache, a kernel of 3 ms was 8%
// slower after a pass that stores, and such a pass 4% faster after one that reads.)
PairedSample PairedTimer::beside(double seconds, const StreamKind *stream) {
  const StreamKind &kind = stream == nullptr ? probe_.best_stream() : *stream;
  probe_.stream_gbps(kind);
  const double gbps = probe_.stream_gbps(kind);
  probe_.stream_gbps(MachineProbe::read_stream());
  return {.seconds = seconds,
          .stream_gbps = gbps,
          .peak_gflops = 2 * multiply_add_.measure(),
          .core_gops = core_.measure(),
          .finish_us = finish_.measure()};
}

PairedSamples PairedTimer::time(int repeats, const std::function<void()> &work,
                                const StreamKind *stream, double undisturbed_gops) {
  work();
  device_.finish();
  PairedSamples result;
  result.others.begin();
  std::vector<PairedSample> all;
  std::vector<PairedSample> &kept = result.kept;
  double core_gops = core_.measure();
  int undisturbed = 0;
  for (int i = 0; i < repeats || (undisturbed < repeats && i < most_pairs * repeats); ++i) {
    PairedSample sample = beside(time_calls(device_, 1, work).front(), stream);
    const double before = std::exchange(core_gops, sample.core_gops);
    sample.core_gops = 0.5 * (before + sample.core_gops);
    undisturbed += sample.core_gops >= (1 - disturbed_core) * undisturbed_gops ? 1 : 0;
    all.push_back(sample);
  }
  result.others.end();
  // The best first: beside a neighbour on the host a core is slower by a part that depends on what
  // it does, which no factor mends.
  std::sort(all.begin(), all.end(),
            [](const PairedSample &a, const PairedSample &b) { return a.core_gops > b.core_gops; });
  const double best = all.front().core_gops;
  const double wanted = undisturbed_gops > 0 ? undisturbed_gops : best;
  result.num_taken = static_cast<int>(all.size());
  result.num_undisturbed =
      static_cast<int>(std::count_if(all.begin(), all.end(), [&](const PairedSample &s) {
        return s.core_gops >= (1 - disturbed_core) * wanted;
      }));
  const std::size_t fewest = (static_cast<std::size_t>(repeats) + 2) / 3;
  std::copy_if(all.begin(), all.end(), std::back_inserter(kept), [&](const PairedSample &s) {
    return kept.size() < fewest || s.core_gops >= (1 - disturbed_core) * best;
  });
  // That of a sample, so that there is one that does not differ from it.
  std::vector<double> rates;
  for (const PairedSample &sample : kept)
    rates.push_back(sample.stream_gbps);
  std::nth_element(rates.begin(), rates.begin() + rates.size() / 2, rates.end());
  const double usual = rates[rates.size() / 2];
  kept.erase(std::remove_if(kept.begin(), kept.end(),
                            [&](const PairedSample &s) {
                              return std::abs(s.stream_gbps - usual) > largest_drift * usual;
                            }),
             kept.end());
  return result;
}

void PairedSamples::add(const PairedSamples &more) {
  kept.insert(kept.end(), more.kept.begin(), more.kept.end());
  num_taken += more.num_taken;
  num_undisturbed += more.num_undisturbed;
  others.add(more.others);
}

void PairedSamples::add(const PairedSample &sample, bool undisturbed) {
  kept.push_back(sample);
  ++num_taken;
  num_undisturbed += undisturbed ? 1 : 0;
}

TimingEvidence PairedSamples::evidence() const {
  TimingEvidence evidence{.seconds = {},
                          .num_taken = num_taken,
                          .num_undisturbed = num_undisturbed,
                          .others = others.share()};
  for (const PairedSample &sample : kept)
    evidence.seconds.push_back(sample.seconds);
  return evidence;
}

bool fits_last_cache(const DeviceInfo &device, double bytes) {
  return bytes <= static_cast<double>(device.last_cache_bytes);
}

void set_limits(KernelRecord &record, const PairedSamples &samples, const DeviceInfo &device) {
  const double bytes = *record.bytes, flops = *record.flops;
  record.seconds = median(samples, [](const auto &s) { return s.seconds; });
  record.stream_gbps = median(samples, [](const auto &s) { return s.stream_gbps; });
  record.peak_gflops = median(samples, [](const auto &s) { return s.peak_gflops; });
  record.fraction =
      median(samples, [&](const auto &s) { return s.limit_s(bytes, flops) / s.seconds; });
  record.in_cache = fits_last_cache(device, bytes);
  record.disturbance = find_disturbance(samples.evidence(), *record.fraction, record.in_cache);
}

double median(const PairedSamples &samples,
              const std::function<double(const PairedSample &)> &figure) {
  std::vector<double> values;
  for (const PairedSample &sample : samples.kept)
    values.push_back(figure(sample));
  return median(values);
}

} // namespace weft
