#include <fmt/format.h>

#include "app/bench_linalg.h"
#include "app/kernel_timing.h"
#include "app/paired_timing.h"
#include "tune/measure_machine.h"

namespace weft {

std::vector<RooflineRow> bench_roofline(Device &device, int repeats) {
  std::vector<RooflineRow> rows;
  fmt::print("\nHorner's rule on numbers as they are stored, computed with in f64 or f32\n");
  fmt::print("{:<5} {:>7} {:>10} {:>9} {:>9} {:>8}\n", "", "degree", "flop/byte", "GFlop/s",
             "limit", "of it");
  for (const Precision storage :
       {Precision::f64, Precision::f32, Precision::f16, Precision::bf16}) {
    if (storage == Precision::f64 && !device.info().has_f64)
      continue;
    PairedTimer timer(device, arithmetic_precision(storage));
    const std::vector<MicroBenchmark> benchmarks = roofline_benchmarks(
        device, arithmetic_precision(storage), micro_sizes(device.info(), false), storage);
    for (std::size_t i = 0; i < benchmarks.size(); ++i) {
      RooflineRow row{.storage = storage, .degree = roofline_depths[i]};
      row.intensity = 2.0 * row.degree / static_cast<double>(size_bytes(storage));
      std::vector<double> rates, limits;
      for (int round = 0; round < repeats; ++round) {
        rates.push_back(benchmarks[i].measure());
        const PairedSample sample = timer.beside(0, &MachineProbe::read_stream());
        limits.push_back(std::min(sample.stream_gbps * row.intensity, sample.peak_gflops));
      }
      row.gflops = median(rates);
      row.limit_gflops = median(limits);
      fmt::print("{:<5} {:>7} {:>10.2f} {:>9.1f} {:>9.1f} {:>7.0f}%\n", to_string(storage),
                 row.degree, row.intensity, row.gflops, row.limit_gflops,
                 100 * row.gflops / row.limit_gflops);
      std::fflush(stdout);
      rows.push_back(row);
    }
  }
  return rows;
}

} // namespace weft
