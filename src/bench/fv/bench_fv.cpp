#include "bench/fv/bench_fv.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/error.h"
#include "bench/bench_options.h"
#include "bench/fv/bench_fv_matrices.h"
#include "bench/fv/bench_fv_timing.h"
#include "bench/row_marks.h"
#include "device/machine_record_of.h"
#include "op/law/fv_diffusion.h"
#include "run/explain/modelled_timing.h"
#include "run/kernel_timing.h"
#include "run/variants/known_machine.h"
#include "tune/model/cache_model.h"

namespace weft {

namespace {

constexpr double paper_data_bytes = 64, paper_line_bytes = 32;

bool chosen(const std::vector<std::string> &names, const std::string &name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

class FvBench {
public:
  FvBench(Device &device, const MachineFigures &figures, const FvBenchOptions &options)
      : device_(device), figures_(figures), options_(options) {
    result_.machine = machine_record(device.info());
  }
  FvBenchResult run();

private:
  void run_ideal();
  void run_mesh(const std::string &file);
  void run_matrix(const FvBenchMatrix &matrix);
  void time(const FvBenchKernel &kernel, FvTimer &timer, FvRow &row);
  FvTimer &timer(Precision precision);
  void set_break_even();

  Device &device_;
  const MachineFigures &figures_;
  const FvBenchOptions &options_;
  std::map<Precision, FvTimer> timers_;
  std::vector<double> cache_gbps_, memory_gbps_; // beside each timing
  FvBenchResult result_;
  RowMarks marks_;
};

FvTimer &FvBench::timer(Precision precision) {
  return timers_.try_emplace(precision, device_, precision, figures_, options_.quick).first->second;
}

void print_head() {
  fmt::print(
      "{:<12} {:<8} {:>10} {:>6} {:<11} {:<4} {:>8} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8}  {}\n",
      "matrix", "order", "block", "lines", "kernel", "", "ns/cell", "B/cell", "GB/s", "read",
      "of it", "model ns", "of meas.", "bound by");
}

void print_row(const FvRow &r, const std::string &mark) {
  const auto rows = static_cast<double>(r.rows);
  fmt::print("{:<12} {:<8} {:>10.0f} {:>6.2f} {:<11} {:<4} {:>8.3f} {:>7.1f} {:>7.1f} {:>7.1f} "
             "{:>6.1f}% ",
             r.matrix, r.order, r.block, r.lines, r.kernel, r.precision, r.ns_a_cell(),
             r.moved_bytes / rows, r.moved_bytes / r.seconds * 1e-9, r.stream_gbps,
             100 * r.moved_fraction());
  if (r.predicted_s > 0)
    fmt::print("{:>8.3f} {:>8.3f}  {}", 1e9 * r.predicted_s / rows, r.predicted_over_measured,
               r.bound);
  fmt::print("{}\n", mark.empty() ? "" : "  " + mark);
  std::fflush(stdout);
}

void FvBench::time(const FvBenchKernel &kernel, FvTimer &timer, FvRow &row) {
  const FvSamples taken = timer.time(options_.repeats, kernel.apply);
  const std::vector<FvSample> &samples = taken.kept;
  const auto median_of = [&](const auto &figure) {
    std::vector<double> values;
    for (const FvSample &sample : samples)
      values.push_back(figure(sample));
    return median(values);
  };
  row.seconds = median_of([](const FvSample &s) { return s.seconds; });
  row.stream_gbps = median_of([](const FvSample &s) { return s.read_gbps; });
  cache_gbps_.push_back(last_cache_gbps(device_.info(), samples.front().figures));
  memory_gbps_.push_back(row.stream_gbps);
  row.fraction =
      median_of([&](const FvSample &s) { return row.bytes * 1e-9 / s.read_gbps / s.seconds; });
  row.in_cache = fits_last_cache(device_.info(), row.bytes);
  row.disturbance = find_disturbance(taken.evidence, row.fraction, row.in_cache);
  if (!kernel.model)
    return;
  const auto predicted = [&](const FvSample &s) {
    return predict_neighbour_sum(*kernel.model, device_.info(), s.figures);
  };
  row.predicted_s = median_of([&](const FvSample &s) { return predicted(s).seconds; });
  row.predicted_over_measured =
      median_of([&](const FvSample &s) { return predicted(s).seconds / s.seconds; });
  row.bound = predicted(samples.front()).bound();
}

void FvBench::run_matrix(const FvBenchMatrix &matrix) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    if (!chosen(options_.precisions, to_string(precision)) ||
        (precision == Precision::f64 && !device_.info().has_f64))
      continue;
    for (const std::string &name : fv_kernel_names()) {
      if (!chosen(options_.kernels, name))
        continue;
      const FvBenchKernel kernel = make_fv_bench_kernel(device_, matrix, name, precision);
      FvRow row{.matrix = matrix.name,
                .order = matrix.order,
                .rows = matrix.matrix.num_rows,
                .block = matrix.block,
                .outside = matrix.outside,
                .lines = matrix.lines,
                .kernel = name,
                .precision = to_string(precision),
                .bytes = fv_required_bytes(matrix.matrix, precision),
                .moved_bytes = kernel.moved_bytes,
                .flops = fv_required_flops(matrix.matrix)};
      time(kernel, timer(precision), row);
      print_row(row, marks_.mark(row.disturbance, row.fraction, row.in_cache));
      result_.machine.stream_gbps =
          std::max(result_.machine.stream_gbps.value_or(0), row.stream_gbps);
      result_.rows.push_back(row);
    }
  }
}

void FvBench::run_ideal() {
  std::vector<std::int64_t> blocks = options_.blocks;
  for (std::int64_t block = 64; options_.blocks.empty() && block < options_.cells; block *= 2)
    blocks.push_back(block);
  if (options_.blocks.empty())
    blocks.push_back(options_.cells);
  for (const std::int64_t block : blocks) {
    if (block > options_.cells)
      throw Error(ErrorKind::input, {.what = "a block is larger than the matrix",
                                     .where = "--block",
                                     .found = std::to_string(block),
                                     .allowed = fmt::format("1 to {}", options_.cells),
                                     .remedy = "choose smaller blocks, or more --cells"});
    run_matrix(ideal_bench_matrix(options_.cells, block));
  }
}

void FvBench::run_mesh(const std::string &file) {
  const FvBenchMesh mesh = make_bench_mesh(file, options_.cells, options_.trust);
  fmt::print("{}: {} cells\n", mesh.name, mesh.matrix.num_rows);
  for (const std::string &name : cell_order_names())
    if (chosen(options_.orders, name)) {
      const FvBenchMatrix matrix =
          ordered_bench_matrix(mesh, cell_order_from_name(name), options_.block_cells);
      run_matrix(matrix);
      fmt::print("{:<12} {:<8} {:.2f}% of the entries outside blocks of {} cells\n", matrix.name,
                 matrix.order, 100 * matrix.outside, options_.block_cells);
    }
}

void FvBench::set_break_even() {
  if (memory_gbps_.empty())
    return;
  const double cache = median(cache_gbps_), memory = median(memory_gbps_);
  result_.break_even = break_even_lines(paper_data_bytes, paper_line_bytes, cache, memory);
  result_.break_even_own =
      break_even_lines(paper_data_bytes, device_.info().is_cpu ? 64 : 32, cache, memory);
  if (cache > 0)
    fmt::print("last cache {:.1f} GB/s, memory {:.1f} GB/s: their limits meet at {:.2f} accesses a "
               "cell of 32 bytes, {:.2f} of this machine's lines\n",
               cache, memory, result_.break_even, result_.break_even_own);
}

// Over rows of ideal matrices and of meshes, as far as there are predictions.
void print_model_errors(const std::vector<FvRow> &rows) {
  std::map<std::string, std::vector<double>> ratios;
  for (const FvRow &row : rows)
    if (row.predicted_s > 0)
      ratios[fmt::format("{} {} {}", row.matrix == "ideal" ? "ideal" : "meshes", row.kernel,
                         row.precision)]
          .push_back(row.predicted_over_measured);
  for (const auto &[name, list] : ratios)
    fmt::print("model, {}: {}\n", name, prediction_errors(list));
}

FvBenchResult FvBench::run() {
  fmt::print("{}\n", device_.info().name);
  print_head();
  if (chosen(options_.parts, "ideal"))
    run_ideal();
  if (chosen(options_.parts, "meshes")) {
    if (options_.meshes.empty())
      run_mesh("");
    for (const std::string &file : options_.meshes)
      run_mesh(file);
  }
  set_break_even();
  print_model_errors(result_.rows);
  print_explained(marks_);
  return std::move(result_);
}

} // namespace

std::vector<std::string> fv_kernel_names() {
  return {"plain", "plain_ahead", "plain16", "staged", "matrix"};
}

FvBenchResult bench_fv(Device &device, const MachineFigures &figures,
                       const FvBenchOptions &options) {
  return FvBench(device, figures, options).run();
}

FvBenchResult bench_fv(const FvBenchOptions &options) {
  const std::unique_ptr<Device> device = open_bench_device(options.device, options.threads);
  TuningDatabase database;
  return bench_fv(*device, known_machine(*device, database), options);
}

} // namespace weft
