#include "tune/measure_machine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/embedded.h"
#include "base/hash.h"
#include "tune/micro_benchmark.h"

namespace weft {

namespace {

// Raised when what is done with the same kernel texts changes: sizes, counts, units.
constexpr const char *method = "1";

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
    add(roofline_benchmarks(device, precision, sizes));
  }
  add(half_benchmarks(device, sizes));
  return all;
}

MachineFigures measure_machine(Device &device, const MeasureOptions &options) {
  const std::vector<MicroBenchmark> benchmarks =
      machine_benchmarks(device, micro_sizes(device.info(), options.quick));
  // The first round, in which kernels are compiled and repeats are chosen, is not kept.
  const int rounds = options.quick ? 3 : 9;
  std::map<std::string, std::vector<double>> values;
  std::size_t done = 0;
  for (int round = 0; round <= rounds; ++round)
    for (const MicroBenchmark &benchmark : benchmarks) {
      const double value = benchmark.measure();
      if (round > 0)
        values[benchmark.figure].push_back(value);
      if (options.progress)
        options.progress(static_cast<double>(++done) /
                         static_cast<double>(benchmarks.size() * (rounds + 1)));
    }
  MachineFigures result;
  for (auto &[name, list] : values) {
    std::sort(list.begin(), list.end());
    result.figures[name] = {
        .median = quantile(list, 0.5), .low = quantile(list, 0.05), .high = quantile(list, 0.95)};
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
