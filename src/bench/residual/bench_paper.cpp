#include "bench/residual/bench_paper.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/log.h"
#include "bench/bench_options.h"
#include "bench/residual/paper_problem.h"
#include "output/kernel_rows.h"
#include "run/explain/modelled_timing.h"
#include "run/variants/known_machine.h"
#include "tune/database/tuning_database.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const PaperRow &row) {
  Json json = to_json(row.record);
  const bool ran = row.reason.empty();
  json["driver"] = row.driver;
  json["work"] = row.work;
  json["blocks_a_batch"] = row.num_blocks > 0 ? Json(row.num_blocks) : Json();
  json["batches_a_chunk"] = row.num_batches > 0 ? Json(row.num_batches) : Json();
  json["paper_flops"] = row.paper.flops;
  json["paper_bytes"] = row.paper.bytes;
  json["paper_balance"] = row.paper.balance;
  json["paper_gflops"] = ran ? Json(row.paper_gflops()) : Json();
  json["predicted_gflops"] = ran ? Json(row.predicted_gflops()) : Json();
  // The paper's own model, of its own method: bandwidth times balance, at most what the device
  // computes.
  json["paper_predicted_gflops"] =
      ran && row.work == "integration"
          ? Json(std::min(*row.record.stream_gbps * row.paper.balance, *row.record.peak_gflops))
          : Json();
  json["reason"] = ran ? Json() : Json(row.reason);
  return json;
}

std::vector<PaperRow> rows_of_form(const std::vector<PaperRow> &all, const std::string &form) {
  std::vector<PaperRow> rows;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
               [&](const PaperRow &r) { return r.record.form == form; });
  return rows;
}

void write_figure_csv(const std::filesystem::path &out, const std::string &figure,
                      const std::string &form, const std::vector<PaperRow> &all) {
  write_paper_csv(out / (figure + ".csv"), rows_of_form(all, form));
}

// A CSV of the figure's rows and a plot for each panel.
void write_figure(const std::filesystem::path &out, const std::string &figure,
                  const std::string &form, const std::vector<PaperRow> &all) {
  write_figure_csv(out, figure, form, all);
  plot_paper(paper_rows(rows_of_form(all, form)), out);
}

} // namespace

double PaperRow::paper_gflops() const {
  return paper.flops / *record.seconds * 1e-9;
}

double PaperRow::predicted_gflops() const {
  return paper.flops / *record.predicted_s * 1e-9;
}

std::vector<Json> paper_rows(const std::vector<PaperRow> &rows) {
  std::vector<Json> lines;
  for (const PaperRow &row : rows)
    lines.push_back(to_json(row));
  return lines;
}

void write_paper_csv(const std::filesystem::path &path, const std::vector<PaperRow> &rows) {
  write_rows_csv(path.string(), paper_rows(rows));
}

namespace {

// Seconds of one timing in turn with the machine's limits.
double timing_s(Device &device, const MachineFigures &figures) {
  ModelledTimer timer(device, Precision::f32, figures);
  timer.beside(0); // compiles
  const Timer clock;
  timer.beside(0);
  return clock.seconds();
}

} // namespace

void bench_paper(const PaperOptions &options) {
  constexpr double guessed_kernel_s = 2; // until the first are compiled
  const std::unique_ptr<Device> device = open_bench_device(options.device, options.threads);
  TuningDatabase database;
  const MachineFigures figures = known_machine(*device, database);
  fmt::print("{}\n", device->info().name);
  std::fflush(stdout);
  Table2Options table;
  table.repeats = options.repeats;
  table.edges = std::max(4, static_cast<int>(std::lround(table.edges * std::sqrt(options.size))));
  FigureOptions figure;
  figure.repeats = options.repeats;
  figure.most_unknowns *= options.size;
  for (double &nodes : figure.nodes)
    nodes *= options.size;
  figure.exhaustive = options.exhaustive;
  figure.keep = [&](const std::vector<PaperRow> &rows) {
    write_figure_csv(options.out, "figure4", "poisson", rows);
    write_figure_csv(options.out, "figure5", "elasticity", rows);
  };

  PaperWork work(bench_compile_workers(*device, options.threads));
  std::vector<ResidualJob> jobs = table2_jobs(device->info(), table);
  const int choices = static_cast<int>(jobs.size());
  for (const ResidualJob &job : figure_jobs(device->info(), figure))
    jobs.push_back(job);
  const int rows = num_figure_rows(device->info(), figure);
  const int candidates = num_figure_candidates(*device, figure);
  const double each_s = timing_s(*device, figures);
  work.expect("kernel", static_cast<double>(jobs.size()),
              guessed_kernel_s / std::max(1, work.num_workers()));
  work.expect("timing", static_cast<double>(choices + rows) * options.repeats, each_s);
  if (options.exhaustive)
    work.expect("candidate", candidates, guessed_kernel_s + 6 * each_s);
  else
    work.expect("timing", static_cast<double>(candidates) * options.repeats, each_s);
  const std::string all = fmt::format(
      "{} choices of table 2, {} rows of figures 4 and 5, {} candidates for the fastest other "
      "strategy of each of their panels; {} kernels, {} compiled at a time",
      choices, rows, candidates, jobs.size(), std::max(1, work.num_workers()));
  work.compile(jobs, all);
  write_paper_csv(options.out / "table2.csv", bench_paper_table2(*device, figures, table, work));
  const std::vector<PaperRow> points = bench_paper_figures(*device, figures, figure, work);
  write_figure(options.out, "figure4", "poisson", points);
  write_figure(options.out, "figure5", "elasticity", points);
  work.make_way();
  print_explained(work.marks());
  log::info("wrote table2.csv, figure4.csv, figure5.csv and plots into {}", options.out.string());
}

} // namespace weft
