#include "tune/measure_machine.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "base/embedded.h"
#include "base/hash.h"
#include "tune/micro_benchmark.h"

namespace weft {

namespace {

// Raised when what is done with the same kernel texts changes: sizes, counts, units.
constexpr const char *method = "7";

// A reference's undisturbed rate is what a tenth of its measurements reach; beside one that is
// lower by more than the next number, a figure is not believed, but for the best few.
constexpr double undisturbed_share = 0.9, largest_disturbance = 0.05;
constexpr std::size_t fewest_undisturbed = 3;

// Of sorted values, by linear interpolation; `share` 0 to 1.
double quantile(const std::vector<double> &sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] * (1 - part) + sorted[above] * part;
}

} // namespace

std::vector<MicroBenchmark> machine_benchmarks(Device &device, const MicroSizes &sizes) {
  std::vector<MicroBenchmark> all;
  const auto add = [&](std::vector<MicroBenchmark> family) {
    std::move(family.begin(), family.end(), std::back_inserter(all));
  };
  const Precision widest = device.info().has_f64 ? Precision::f64 : Precision::f32;
  add(latency_benchmarks(device));
  add(memory_benchmarks(device, widest, sizes));
  add(cache_benchmarks(device, widest, sizes));
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    if (precision == Precision::f64 && !device.info().has_f64)
      continue;
    add(local_benchmarks(device, precision, sizes));
    add(arithmetic_benchmarks(device, precision, sizes));
    add(contraction_benchmarks(device, precision, sizes));
    add(indirect_benchmarks(device, precision, sizes));
    add(roofline_benchmarks(device, precision, sizes, precision));
  }
  add(half_benchmarks(device, sizes));
  return all;
}

namespace {

// Which part of the machine a figure drifts with.
enum class DriftsWith { nothing, cores, memory };

DriftsWith drifts_with(const std::string &figure, const MicroSizes &sizes, int cores) {
  const auto begins = [&](const char *head) { return figure.rfind(head, 0) == 0; };
  if (begins("memory."))
    return DriftsWith::memory;
  // Waits for memory, whose latency is that of the cores' caches and not of the bandwidth.
  if (begins("gather.memory."))
    return DriftsWith::cores;
  if (begins("roofline.") || begins("latency."))
    return DriftsWith::nothing;
  // "cache.read.BYTES.gbps", "gather.4.BYTES.f64.gops": of one core.
  if (begins("cache.") || begins("gather.")) {
    const double bytes = std::atof(figure.c_str() + figure.find('.', figure.find('.') + 1) + 1);
    if (bytes * cores > static_cast<double>(sizes.last_cache_bytes))
      return DriftsWith::memory;
  }
  return DriftsWith::cores;
}

// A rate measured now and then beside others, so that these can be seen at one state of the
// machine.
class Reference {
public:
  explicit Reference(MicroBenchmark benchmark) : benchmark_(std::move(benchmark)) {
    benchmark_.measure(); // compiles
  }
  // The rate between the last call and this one.
  double since_last() {
    const double now = benchmark_.measure();
    const double between = last_ > 0 ? 0.5 * (last_ + now) : now;
    last_ = now;
    all_.push_back(between);
    return between;
  }
  void begin() { last_ = benchmark_.measure(); }
  // What it reaches where nothing else takes a part of the machine.
  double undisturbed() {
    std::sort(all_.begin(), all_.end());
    return quantile(all_, undisturbed_share);
  }

private:
  MicroBenchmark benchmark_;
  double last_ = 0;
  std::vector<double> all_;
};

struct Measured {
  double value = 0;
  double reference = 1; // rate of its reference meanwhile
};

// The spread is that of the values as they were; the median that of the measurements beside an
// undisturbed reference. One that shares a core with a neighbour on the host is not only slower: a
// chain of multiply-adds loses half there or nothing, a gather a quarter or a third, so that no
// factor mends it.
Figure figure_of(std::vector<Measured> measured, double undisturbed_reference) {
  std::vector<double> values, undisturbed;
  std::sort(measured.begin(), measured.end(),
            [](const Measured &a, const Measured &b) { return a.reference > b.reference; });
  for (const Measured &m : measured) {
    values.push_back(m.value);
    if (m.reference >= (1 - largest_disturbance) * undisturbed_reference ||
        undisturbed.size() < fewest_undisturbed)
      undisturbed.push_back(m.value / m.reference * undisturbed_reference);
  }
  std::sort(values.begin(), values.end());
  std::sort(undisturbed.begin(), undisturbed.end());
  const double median = quantile(undisturbed, 0.5);
  return {.median = median,
          .low = std::min(median, quantile(values, 0.05)),
          .high = std::max(median, quantile(values, 0.95))};
}

} // namespace

MachineFigures measure_machine(Device &device, const MeasureOptions &options) {
  const MicroSizes sizes = micro_sizes(device.info(), options.quick);
  const Precision widest = device.info().has_f64 ? Precision::f64 : Precision::f32;
  const std::vector<MicroBenchmark> benchmarks = machine_benchmarks(device, sizes);
  Reference cores(core_benchmark(device, widest, sizes.target_s / 3));
  Reference memory(memory_benchmarks(device, widest, sizes).front());
  // The first round, in which kernels are compiled and repeats are chosen, is not kept.
  const int rounds = options.quick ? 3 : options.rounds;
  std::map<std::string, std::vector<Measured>> values;
  std::size_t done = 0;
  for (int round = 0; round <= rounds; ++round) {
    DriftsWith last = DriftsWith::nothing;
    for (const MicroBenchmark &benchmark : benchmarks) {
      const DriftsWith drift =
          drifts_with(benchmark.figure, sizes, std::max(1, device.info().compute_units));
      Reference &reference = drift == DriftsWith::memory ? memory : cores;
      if (drift != last && drift != DriftsWith::nothing)
        reference.begin();
      last = drift;
      Measured measured{.value = benchmark.measure()};
      if (drift != DriftsWith::nothing)
        measured.reference = reference.since_last();
      if (round > 0)
        values[benchmark.figure].push_back(measured);
      if (options.progress)
        options.progress(static_cast<double>(++done) /
                         static_cast<double>(benchmarks.size() * (rounds + 1)));
    }
  }
  MachineFigures result;
  for (const auto &[name, list] : values) {
    const DriftsWith drift = drifts_with(name, sizes, std::max(1, device.info().compute_units));
    const double undisturbed = drift == DriftsWith::nothing  ? 1
                               : drift == DriftsWith::memory ? memory.undisturbed()
                                                             : cores.undisturbed();
    result.figures[name] = figure_of(list, undisturbed);
  }
  return result;
}

std::string machine_generator() {
  std::string text = method;
  for (const char *folder : {"kernels/machine/", "kernels/dialect/"})
    for (const std::string &name : embedded_names(folder))
      text += embedded_text(name);
  return hash_hex(text);
}

} // namespace weft
