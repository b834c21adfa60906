#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "base/error.h"
#include "bench/residual/bench_paper.h"
#include "bench/residual/paper_problem.h"
#include "run/explain/modelled_timing.h"
#include "run/kernel_timing.h"
#include "run/model/form_record.h"

namespace weft {

namespace {

// One choice of the table.
struct TimedRun {
  std::unique_ptr<ResidualRun> run; // null where it did not run
  PairedSamples samples;
  PaperRow row;
};

TimedRun make_entry(Device &device, const Discretisation &d, Precision precision, int num_blocks,
                    int num_batches) {
  const OperatorSettings settings = paper_settings("poisson", precision, num_blocks, num_batches);
  TimedRun entry;
  PaperRow &row = entry.row;
  row.work = "integration";
  row.driver = device.info().driver;
  row.num_blocks = num_blocks;
  row.num_batches = num_batches;
  row.paper = paper_cost(d, settings);
  try {
    entry.run = std::make_unique<ResidualRun>(device, d, settings);
    entry.run->integrals();
    device.finish();
    row.record = make_kernel_record(entry.run->op(), d, IntegralKind::residual, 0);
    row.record.flops = entry.run->integral_flops();
    row.record.bytes = entry.run->integral_bytes();
  } catch (const Error &error) {
    // A work-group that is too large, or that the driver turns down: said in the table.
    if (error.kind() != ErrorKind::unsupported && error.kind() != ErrorKind::system)
      throw;
    entry.run.reset();
    row.reason = error.what();
    row.record.form = "poisson";
    row.record.strategy = to_string(Strategy::transposed);
    row.record.geometry = to_string(settings.geometry);
    row.record.device = device.info().name;
    row.record.precision = to_string(precision);
    row.record.dofs = d.num_global;
  }
  return entry;
}

// With the timings so far.
void set_times(TimedRun &entry, ModelledTimer &timer) {
  if (entry.run)
    set_time(entry.row.record, timer.compare(entry.samples, entry.run->integral_costs(),
                                             *entry.row.record.flops, *entry.row.record.bytes));
}

void print_first(const TimedRun &entry, int repeats) {
  const PaperRow &row = entry.row;
  fmt::print("{:<4} {:>3} blocks a batch, {:>2} batches a chunk: {}\n", row.record.precision,
             row.num_blocks, row.num_batches,
             entry.run ? fmt::format("{:.1f} GFlop/s in the first of {} timings",
                                     row.paper_gflops(), repeats)
                       : "- " + row.reason);
  std::fflush(stdout);
}

std::vector<PaperRow> rows_of(Device &device, const MachineFigures &figures,
                              const Discretisation &d, Precision precision,
                              const Table2Options &options, PaperWork &work) {
  std::vector<TimedRun> entries;
  ModelledTimer timer(device, precision, figures);
  const auto time = [&](TimedRun &entry) {
    if (entry.run)
      entry.samples.add(timer.time(1, [&] { entry.run->integrals(); }));
    work.done("timing", 1, fmt::format("table 2, {}", to_string(precision)));
  };
  work.begin();
  for (const int num_blocks : options.blocks)
    for (const int num_batches : options.batches) {
      entries.push_back(make_entry(device, d, precision, num_blocks, num_batches));
      time(entries.back());
      set_times(entries.back(), timer);
      work.make_way();
      print_first(entries.back(), options.repeats);
    }
  // In rounds: what drifts drifts for all choices alike.
  for (int round = 1; round < options.repeats; ++round)
    for (TimedRun &entry : entries)
      time(entry);
  std::vector<PaperRow> rows;
  for (TimedRun &entry : entries) {
    set_times(entry, timer);
    rows.push_back(entry.row);
  }
  return rows;
}

// GFlop/s of the choices, with a star where a row has a mark; "-" for what did not run.
std::string table_line(const std::vector<PaperRow> &rows, std::size_t first, std::size_t number,
                       RowMarks &marks) {
  std::string line;
  for (std::size_t i = first; i < first + number; ++i)
    line += rows[i].reason.empty() ? fmt::format("{:>7.1f}{}", rows[i].paper_gflops(),
                                                 marks.mark(rows[i].record).empty() ? ' ' : '*')
                                   : fmt::format("{:>8}", "-");
  return line;
}

void print_spread(const std::vector<PaperRow> &rows) {
  std::vector<double> rates;
  for (const PaperRow &row : rows)
    if (row.reason.empty())
      rates.push_back(row.paper_gflops());
  if (rates.empty())
    return;
  const auto [worst, best] = std::minmax_element(rates.begin(), rates.end());
  std::vector<double> ratios;
  for (const PaperRow &row : rows)
    if (row.reason.empty())
      ratios.push_back(*row.record.predicted_s / *row.record.seconds);
  fmt::print("{}: best {:.1f}, worst {:.1f} GFlop/s, {:.0f}% less (the paper: up to 30%); "
             "predicted / measured time {:.2f} to {:.2f}, median {:.2f}\n",
             rows.front().record.precision, *best, *worst, 100 * (1 - *worst / *best),
             *std::min_element(ratios.begin(), ratios.end()),
             *std::max_element(ratios.begin(), ratios.end()), median(ratios));
}

void print_reasons(const std::vector<PaperRow> &rows) {
  for (const PaperRow &row : rows)
    if (!row.reason.empty()) {
      fmt::print("-: {}\n", row.reason);
      return; // the CSV has those of the others
    }
}

} // namespace

std::vector<ResidualJob> table2_jobs(const DeviceInfo &device, const Table2Options &options) {
  std::vector<ResidualJob> jobs;
  for (const Precision precision : {Precision::f32, Precision::f64})
    if (precision == Precision::f32 || device.has_f64)
      for (const int num_blocks : options.blocks)
        for (const int num_batches : options.batches)
          jobs.push_back({.problem = paper_residual("poisson", 2, options.edges),
                          .precision = precision,
                          .variant = paper_variant(num_blocks, num_batches)});
  return jobs;
}

std::vector<PaperRow> bench_paper_table2(Device &device, const MachineFigures &figures,
                                         const Table2Options &options, PaperWork &work) {
  const Mesh mesh = paper_mesh(2, options.edges);
  const Discretisation d = paper_discretisation("poisson", mesh);
  std::vector<std::vector<PaperRow>> tables;
  for (const Precision precision : {Precision::f32, Precision::f64})
    if (precision == Precision::f32 || device.info().has_f64)
      tables.push_back(rows_of(device, figures, d, precision, options, work));

  work.make_way();
  const std::size_t columns = options.batches.size();
  fmt::print("table 2: integration of 2D Poisson, {} unknowns, GFlop/s by the paper's equation "
             "(7), * busy"
             "\n{:<12}",
             d.num_global, "");
  for (const std::vector<PaperRow> &table : tables)
    fmt::print("   {:<{}}", fmt::format("{}, batches a chunk", table.front().record.precision),
               8 * columns);
  fmt::print("\n{:<12}", "blocks/batch");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    fmt::print("   ");
    for (const int num_batches : options.batches)
      fmt::print("{:>8}", num_batches);
  }
  fmt::print("\n");
  for (std::size_t i = 0; i < options.blocks.size(); ++i) {
    fmt::print("{:<12}", options.blocks[i]);
    for (const std::vector<PaperRow> &table : tables)
      fmt::print("   {}", table_line(table, i * columns, columns, work.marks()));
    fmt::print("\n");
  }
  std::vector<PaperRow> all;
  for (const std::vector<PaperRow> &table : tables) {
    print_spread(table);
    print_reasons(table);
    all.insert(all.end(), table.begin(), table.end());
  }
  std::fflush(stdout);
  return all;
}

} // namespace weft
