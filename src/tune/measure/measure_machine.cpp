#include "tune/measure/measure_machine.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "base/embedded.h"
#include "base/hash.h"
#include "base/timer.h"
#include "tune/disturbance.h"
#include "tune/measure/micro_benchmark.h"

namespace weft {

namespace {

// Raised when what is done with the same kernel texts changes: sizes, counts, units.
constexpr const char *method = "8";

// A reference's undisturbed rate is what a tenth of its measurements reach; beside one that is
// lower by more than the next number, a figure is not believed, but for the best few.
constexpr double undisturbed_share = 0.9, largest_disturbance = 0.05;
constexpr std::size_t fewest_undisturbed = 3;

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

// Rounds over all benchmarks, each figure beside its reference.
class Measurement {
public:
  Measurement(Device &device, const MeasureOptions &options)
      : options_(options), rounds_(options.quick ? 3 : options.rounds),
        cores_in_use_(std::max(1, device.info().compute_units)),
        sizes_(micro_sizes(device.info(), options.quick)),
        clock_(options.clock ? options.clock : [timer = Timer()] { return timer.seconds(); }),
        start_(clock_()), others_(options.processors),
        benchmarks_(machine_benchmarks(device, sizes_)),
        cores_(core_benchmark(device, widest(device), sizes_.target_s / 3)),
        memory_(memory_benchmarks(device, widest(device), sizes_).front()) {}

  MachineFigures run();

private:
  static Precision widest(const Device &device) {
    return device.info().has_f64 ? Precision::f64 : Precision::f32;
  }
  DriftsWith drift_of(const std::string &figure) const {
    return drifts_with(figure, sizes_, cores_in_use_);
  }
  Reference &reference_of(DriftsWith drift) {
    return drift == DriftsWith::memory ? memory_ : cores_;
  }
  // Once over all figures; `kept`: whether it counts. False where time was up before its end.
  bool round(bool kept);
  bool time_is_up() const { return clock_() - start_ >= options_.most_s; }
  MachineFigures figures();

  const MeasureOptions &options_;
  int rounds_;
  int cores_in_use_;
  MicroSizes sizes_;
  std::function<double()> clock_;
  double start_;
  OthersUse others_;
  std::vector<MicroBenchmark> benchmarks_;
  Reference cores_, memory_;
  std::map<std::string, std::vector<Measured>> values_;
  std::size_t num_done_ = 0;
};

bool Measurement::round(bool kept) {
  DriftsWith last = DriftsWith::nothing;
  for (const MicroBenchmark &benchmark : benchmarks_) {
    if (kept && values_.size() == benchmarks_.size() && time_is_up())
      return false;
    const DriftsWith drift = drift_of(benchmark.figure);
    Reference &reference = reference_of(drift);
    if (drift != last && drift != DriftsWith::nothing)
      reference.begin();
    last = drift;
    Measured measured{.value = benchmark.measure()};
    if (drift != DriftsWith::nothing)
      measured.reference = reference.since_last();
    if (kept)
      values_[benchmark.figure].push_back(measured);
    ++num_done_;
    if (options_.progress)
      options_.progress(static_cast<double>(num_done_) /
                        static_cast<double>(benchmarks_.size() * (rounds_ + 1)));
  }
  return true;
}

MachineFigures Measurement::figures() {
  MachineFigures result;
  std::size_t num_measured = 0, num_undisturbed = 0;
  for (const auto &[name, list] : values_) {
    const DriftsWith drift = drift_of(name);
    const double undisturbed = drift == DriftsWith::nothing ? 1 : reference_of(drift).undisturbed();
    result.figures[name] = figure_of(list, undisturbed);
    for (const Measured &m : list)
      num_undisturbed += m.reference >= (1 - largest_disturbance) * undisturbed ? 1 : 0;
    num_measured += list.size();
  }
  const auto set = [&](const char *name, double value) {
    result.figures[name] = {value, value, value};
  };
  if (const auto share = others_.share())
    set(others_figure, *share);
  set(undisturbed_figure, static_cast<double>(num_undisturbed) / static_cast<double>(num_measured));
  set(rounds_figure,
      static_cast<double>(num_measured) / static_cast<double>(benchmarks_.size() * rounds_));
  return result;
}

// The first round, in which kernels are compiled and repeats are chosen, is not kept.
MachineFigures Measurement::run() {
  others_.begin();
  bool has_time = round(false);
  for (int i = 0; i < rounds_ && has_time; ++i)
    has_time = round(true);
  others_.end();
  if (options_.progress)
    options_.progress(1);
  return figures();
}

} // namespace

MachineFigures measure_machine(Device &device, const MeasureOptions &options) {
  return Measurement(device, options).run();
}

std::string machine_generator() {
  std::string text = method;
  for (const char *folder : {"kernels/machine/", "kernels/dialect/"})
    for (const std::string &name : embedded_names(folder))
      text += embedded_text(name);
  return hash_hex(text);
}

} // namespace weft
