#include "bench/fv/bench_fv_timing.h"

#include <algorithm>
#include <cmath>

#include "run/kernel_timing.h"
#include "tune/model/cache_model.h"

namespace weft {

namespace {

constexpr double largest_change = 0.06;
constexpr double core_s = 3e-3;
constexpr int first_rounds = 7;
constexpr int most_tries = 4;
constexpr int most_rounds = 3; // times those asked for
constexpr double same_bandwidth = 0.1, known_to = 0.03;

// Beside it: the rate of the cores meanwhile.
template <typename T> struct Rated {
  double core_gops = 0;
  T value;
};

// What was taken beside cores that were not slower than the best of them by 7%; a third at least.
template <typename T> std::vector<T> undisturbed(std::vector<Rated<T>> all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const auto &a, const auto &b) { return a.core_gops > b.core_gops; });
  const std::size_t fewest = (all.size() + 2) / 3;
  std::vector<T> result;
  for (const Rated<T> &one : all)
    if (result.size() < fewest || one.core_gops >= (1 - disturbed_core) * all.front().core_gops)
      result.push_back(one.value);
  return result;
}

// Whether the median of the timings is known: 1.57 times the range of their middle half over the
// root of their number is a 95% interval (McGill, Tukey and Larsen 1978, DOI 10.2307/2683468).
bool settled(const std::vector<Rated<FvSample>> &samples) {
  std::vector<double> seconds;
  for (const FvSample &sample : undisturbed(samples))
    seconds.push_back(sample.seconds);
  std::sort(seconds.begin(), seconds.end());
  const std::size_t quarter = seconds.size() / 4;
  const double range = seconds[seconds.size() - 1 - quarter] - seconds[quarter];
  return 1.57 * range / std::sqrt(static_cast<double>(seconds.size())) <=
         known_to * median(seconds);
}

bool is_of_memory(const std::string &figure) {
  return figure.starts_with("memory.") || figure.starts_with("gather_streams.");
}

Precision widest_precision(const DeviceInfo &info) {
  return info.has_f64 ? Precision::f64 : Precision::f32;
}

} // namespace

FvTimer::FvTimer(Device &device, Precision precision, const MachineFigures &figures, bool quick)
    : device_(device), known_(figures), probe_(device, widest_precision(device.info()),
                                               micro_sizes(device.info(), quick).array_bytes),
      core_(core_benchmark(device, precision, core_s)),
      benchmarks_(cache_model_benchmarks(device, precision, micro_sizes(device.info(), quick))) {
  for (const MicroBenchmark &benchmark : benchmarks_)
    benchmark.measure(); // compiles it
  for (int round = 0; round < first_rounds; ++round)
    measure_memory();
}

// A pass before each reading that counts takes what was stored out of the last cache.
FvSample FvTimer::sample(const std::function<void()> &work, double &change) {
  const StreamKind &read = MachineProbe::read_stream();
  probe_.stream_gbps(read);
  const double before = probe_.stream_gbps(read);
  const double seconds = time_calls(device_, 1, work).front();
  probe_.stream_gbps(read);
  const double after = probe_.stream_gbps(read);
  change = std::abs(after / before - 1);
  return {.seconds = seconds, .read_gbps = 0.5 * (before + after)};
}

void FvTimer::measure_memory() {
  for (const MicroBenchmark &benchmark : benchmarks_)
    if (is_of_memory(benchmark.figure)) {
      double change = 1, value = 0;
      FvSample taken;
      for (int attempt = 0; attempt < most_tries && change > largest_change; ++attempt)
        taken = sample([&] { value = benchmark.measure(); }, change);
      memory_[benchmark.figure].push_back({value, taken.read_gbps});
    }
}

std::vector<double> FvTimer::measure_figures() {
  std::vector<double> values;
  for (const MicroBenchmark &benchmark : benchmarks_)
    values.push_back(is_of_memory(benchmark.figure) ? 0 : benchmark.measure());
  return values;
}

// Over the bandwidth of reading, the median of the readings taken at about `read_gbps`, or nearest
// to it where few were.
double FvTimer::memory_figure(const std::string &name, double read_gbps) const {
  std::vector<Reading> readings = memory_.at(name);
  const auto distance = [&](const Reading &r) {
    return std::abs(std::log(r.read_gbps / read_gbps));
  };
  std::sort(readings.begin(), readings.end(),
            [&](const Reading &a, const Reading &b) { return distance(a) < distance(b); });
  std::vector<double> shares;
  for (const Reading &reading : readings)
    if (shares.size() < first_rounds || distance(reading) < same_bandwidth)
      shares.push_back(reading.value / reading.read_gbps);
  return median(shares) * read_gbps;
}

FvSamples FvTimer::time(int repeats, const std::function<void()> &work) {
  work();
  device_.finish();
  std::vector<Rated<FvSample>> samples;
  std::vector<Rated<std::vector<double>>> rounds;
  OthersUse others;
  others.begin();
  double before = core_.measure();
  for (int i = 0; i < repeats || (i < most_rounds * repeats && !settled(samples)); ++i) {
    double change = 1;
    FvSample taken;
    for (int attempt = 0; attempt < most_tries && change > largest_change; ++attempt)
      taken = sample(work, change);
    const double between = core_.measure();
    measure_memory();
    const std::vector<double> values = measure_figures();
    const double after = core_.measure();
    // Where memory changed meanwhile a timing counts as one beside a disturbed core.
    samples.push_back({change > largest_change ? 0 : std::min(before, between), taken});
    rounds.push_back({std::min(between, after), values});
    before = after;
  }
  others.end();
  MachineFigures figures = known_;
  const std::vector<std::vector<double>> kept = undisturbed(rounds);
  const auto set = [](MachineFigures &all, const std::string &name, double value) {
    all.figures[name] = {value, value, value};
  };
  for (std::size_t i = 0; i < benchmarks_.size(); ++i) {
    std::vector<double> values;
    for (const std::vector<double> &round : kept)
      values.push_back(round[i]);
    set(figures, benchmarks_[i].figure, median(values));
  }
  FvSamples result{.kept = undisturbed(samples), .evidence = {}};
  std::vector<double> core_gops;
  for (const Rated<FvSample> &one : samples)
    core_gops.push_back(one.core_gops);
  for (const FvSample &one : result.kept)
    result.evidence.seconds.push_back(one.seconds);
  result.evidence.num_taken = static_cast<int>(samples.size());
  result.evidence.num_undisturbed = count_undisturbed(core_gops);
  result.evidence.others = others.share();
  for (FvSample &sample : result.kept) {
    sample.figures = figures;
    for (const auto &[name, readings] : memory_)
      set(sample.figures, name, memory_figure(name, sample.read_gbps));
  }
  return result;
}

} // namespace weft
