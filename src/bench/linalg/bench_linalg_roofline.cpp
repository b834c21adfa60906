#include <algorithm>
#include <fmt/format.h>

#include "bench/linalg/bench_linalg.h"
#include "bench/row_marks.h"
#include "run/explain/paired_timing.h"
#include "run/kernel_timing.h"
#include "tune/disturbance.h"
#include "tune/measure/micro_benchmark.h"

namespace weft {

std::vector<RooflineRow> bench_roofline(Device &device, int repeats) {
  std::vector<RooflineRow> rows;
  RowMarks marks;
  fmt::print(
      "\nx + x^2 + ... + x^m by Horner's rule, in place: numbers as they are stored, computed "
      "with in f64 or f32\n");
  fmt::print("{:<5} {:>7} {:>10} {:>9} {:>9} {:>8}\n", "", "m", "flop/byte", "GFlop/s", "limit",
             "of it");
  for (const Precision storage :
       {Precision::f64, Precision::f32, Precision::f16, Precision::bf16}) {
    if (storage == Precision::f64 && !device.info().has_f64)
      continue;
    PairedTimer timer(device, arithmetic_precision(storage));
    const auto unknowns = static_cast<std::int64_t>(micro_sizes(device.info(), false).array_bytes /
                                                    size_bytes(storage));
    for (const int degree : roofline_depths) {
      const LinalgBlock block = make_horner_block(device, storage, unknowns, degree);
      RooflineRow row{.storage = storage, .degree = degree, .intensity = block.flops / block.bytes};
      block.work(); // compiles
      device.finish();
      std::vector<double> rates, limits, shares, core_gops;
      OthersUse others;
      others.begin();
      for (int round = 0; round < repeats; ++round) {
        rates.push_back(block.flops / time_calls(device, 1, block.work).front() * 1e-9);
        const PairedSample sample = timer.beside(0);
        limits.push_back(std::min(sample.stream_gbps * row.intensity, sample.peak_gflops));
        shares.push_back(rates.back() / limits.back());
        core_gops.push_back(sample.core_gops);
      }
      others.end();
      row.gflops = median(rates);
      row.limit_gflops = median(limits);
      row.disturbance = find_disturbance({.seconds = shares,
                                          .num_taken = repeats,
                                          .num_undisturbed = count_undisturbed(core_gops),
                                          .others = others.share()},
                                         median(shares), false);
      const double share = row.gflops / row.limit_gflops;
      fmt::print("{:<5} {:>7} {:>10.2f} {:>9.1f} {:>9.1f} {:>7.0f}% {}\n", to_string(storage),
                 row.degree, row.intensity, row.gflops, row.limit_gflops, 100 * share,
                 marks.mark(row.disturbance, share, false));
      std::fflush(stdout);
      rows.push_back(row);
    }
  }
  print_explained(marks);
  return rows;
}

} // namespace weft
