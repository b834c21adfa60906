#include "bench/linalg/bench_linalg.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/log.h"
#include "base/precision_name.h"
#include "bench/bench_options.h"
#include "bench/linalg/linalg_blas.h"
#include "bench/row_marks.h"
#include "device/machine_record_of.h"
#include "run/explain/paired_timing.h"
#include "run/kernel_timing.h"

namespace weft {

namespace {

constexpr double shortest_s = 1e-3; // of what is timed at once
constexpr Precision all_precisions[] = {Precision::f64, Precision::f32, Precision::f16,
                                        Precision::bf16};

bool is_wanted(const std::vector<std::string> &names, const std::string &name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::int64_t> lengths_of(const LinalgOptions &options) {
  if (!options.lengths.empty())
    return options.lengths;
  std::vector<std::int64_t> lengths;
  for (const int power : {12, 14, 16, 18, 20, 21, 23, 25})
    lengths.push_back(std::int64_t{1} << power);
  return lengths;
}

// One case of a round.
struct Contestant {
  LinalgRow row;
  LinalgBlock block;
  int runs = 1;
  std::vector<double> seconds, fractions, speedups;
};

class BlockBench {
public:
  BlockBench(Device &device, const LinalgOptions &options)
      : device_(device), options_(options),
        timer_(device, device.info().has_f64 ? Precision::f64 : Precision::f32) {
    if (!device.info().is_cpu) // its memory is another one
      return;
    blas_ = BlasLibrary::open(device.info().compute_units);
    if (!blas_)
      log::notice("rows of a BLAS are left out: neither libopenblas.so.0 nor libblas.so.3 is there "
                  "(Debian: apt install libopenblas0)");
  }

  std::vector<LinalgRow> run();

private:
  std::vector<Contestant> contestants(const std::string &block, int systems, std::int64_t length);
  void time(std::vector<Contestant> &all);
  void print(const LinalgRow &row);

  Device &device_;
  const LinalgOptions &options_;
  PairedTimer timer_;
  std::shared_ptr<const BlasLibrary> blas_;
  std::int64_t rows_of_matrices_ = 0;
  LinalgMatrices matrices_;
  RowMarks marks_;
};

std::vector<Contestant> BlockBench::contestants(const std::string &block, int systems,
                                                std::int64_t length) {
  const std::int64_t rows = length / systems;
  std::vector<Contestant> all;
  if (rows == 0 || rows > most_rows(block))
    return all;
  if (is_matrix_block(block) && rows_of_matrices_ != rows) {
    matrices_ = make_linalg_matrices(rows);
    rows_of_matrices_ = rows;
  }
  const auto add = [&](Precision storage, Precision vectors) {
    if (!is_wanted(options_.precisions, to_string(vectors)) ||
        (vectors == Precision::f64 && !device_.info().has_f64))
      return;
    Contestant c;
    c.row.of = {.block = block,
                .storage = storage,
                .vectors = vectors,
                .systems = systems,
                .unknowns = length};
    c.block = make_linalg_block(device_, c.row.of, matrices_);
    c.row.unknowns = c.block.unknowns;
    c.row.flops = c.block.flops;
    c.row.bytes = c.block.bytes;
    all.push_back(std::move(c));
  };
  for (const Precision p : all_precisions)
    add(p, p);
  if (is_matrix_block(block)) // as levels of multigrid are stored
    add(Precision::f16, Precision::f32);
  for (std::size_t i = 0, own = all.size(); blas_ && i < own; ++i)
    if (auto same = make_blas_block(blas_, all[i].row.of, matrices_)) {
      Contestant c{.row = {.of = all[i].row.of,
                           .library = blas_->name(),
                           .unknowns = same->unknowns,
                           .flops = same->flops,
                           .bytes = same->bytes},
                   .block = std::move(*same)};
      all.push_back(std::move(c));
    }
  return all;
}

// A B C ... bandwidth, again and again.
void BlockBench::time(std::vector<Contestant> &all) {
  const bool only_reads = all.front().block.only_reads;
  const StreamKind &kind = only_reads ? MachineProbe::read_stream() : timer_.probe().best_stream();
  std::vector<double> streams, core_gops;
  OthersUse others;
  for (Contestant &c : all) {
    c.block.work(); // compiles
    device_.finish();
    const double once = time_calls(device_, 1, c.block.work).front();
    c.runs = std::clamp(static_cast<int>(std::ceil(shortest_s / once)), 1, 1000);
  }
  others.begin();
  for (int round = 0; round < options_.repeats; ++round) {
    for (Contestant &c : all) {
      const auto runs = [&] {
        for (int run = 0; run < c.runs; ++run)
          c.block.work();
      };
      if (c.runs > 1) // what fits into a cache is in it
        c.block.work();
      c.seconds.push_back(time_calls(device_, 1, runs).front() / c.runs);
    }
    const PairedSample state = timer_.beside(0, &kind);
    streams.push_back(state.stream_gbps);
    core_gops.push_back(state.core_gops);
    for (Contestant &c : all) {
      c.fractions.push_back(c.row.bytes / c.seconds.back() * 1e-9 / streams.back());
      if (all.front().row.of.vectors == Precision::f64)
        c.speedups.push_back(all.front().seconds.back() / c.seconds.back());
    }
  }
  others.end();
  for (Contestant &c : all) {
    c.row.seconds = median(c.seconds);
    c.row.fraction = median(c.fractions);
    c.row.speedup = c.speedups.empty() ? 0 : median(c.speedups);
    c.row.stream = kind.name;
    c.row.stream_gbps = median(streams);
    c.row.in_cache = fits_last_cache(device_.info(), c.row.bytes);
    c.row.disturbance = find_disturbance({.seconds = c.seconds,
                                          .num_taken = options_.repeats,
                                          .num_undisturbed = count_undisturbed(core_gops),
                                          .others = others.share()},
                                         c.row.fraction, c.row.in_cache);
  }
}

void BlockBench::print(const LinalgRow &r) {
  const std::string precision = r.of.storage == r.of.vectors
                                    ? to_string(r.of.vectors)
                                    : to_string(r.of.storage) + "/" + to_string(r.of.vectors);
  const std::string mark = marks_.mark(r.disturbance, r.fraction, r.in_cache);
  fmt::print(
      "{:<13} {:>2} {:<8} {:>10} {:>10.0f} {:>8.1f} {:>14} {:>8.1f} {:>8.0f}% {:>8.2f}  {}{}\n",
      r.of.block, r.of.systems, precision, r.unknowns, r.flops / r.seconds * 1e-6,
      r.bytes / r.seconds * 1e-9, r.stream, r.stream_gbps, 100 * r.fraction, r.speedup, r.library,
      mark.empty() ? "" : "  " + mark);
  std::fflush(stdout);
}

std::vector<LinalgRow> BlockBench::run() {
  fmt::print("{:<13} {:>2} {:<8} {:>10} {:>10} {:>8} {:>14} {:>8} {:>9} {:>8}\n", "block", "at", "",
             "unknowns", "MFlop/s", "GB/s", "stream", "GB/s", "of it", "of f64");
  std::vector<LinalgRow> rows;
  for (const int systems : options_.systems)
    for (const std::int64_t length : lengths_of(options_))
      for (const std::string &block : linalg_block_names()) {
        if (!is_wanted(options_.blocks, block))
          continue;
        std::vector<Contestant> all = contestants(block, systems, length);
        if (all.empty())
          continue;
        time(all);
        for (const Contestant &c : all) {
          print(c.row);
          rows.push_back(c.row);
        }
      }
  print_explained(marks_);
  return rows;
}

} // namespace

LinalgResult bench_linalg(const LinalgOptions &options) {
  const std::unique_ptr<Device> device = open_bench_device(options.device, options.threads);
  LinalgResult result;
  result.machine = machine_record(device->info());
  fmt::print("{}\n", device->info().name);
  if (is_wanted(options.parts, "blocks")) {
    BlockBench bench(*device, options);
    result.rows = bench.run();
    for (const LinalgRow &row : result.rows)
      result.machine.stream_gbps =
          std::max(result.machine.stream_gbps.value_or(0), row.stream_gbps);
  }
  if (is_wanted(options.parts, "roofline"))
    result.roofline = bench_roofline(*device, options.repeats);
  if (is_wanted(options.parts, "jacobi"))
    result.jacobi = bench_jacobi(*device, options);
  return result;
}

} // namespace weft
