#include "app/bench_paper.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "app/paper_problem.h"
#include "base/log.h"
#include "output/kernel_rows.h"
#include "tune/measure_machine.h"
#include "tune/tuning_database.h"

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

// A CSV of the figure's rows and a plot for each panel.
void write_figure(const std::filesystem::path &out, const std::string &figure,
                  const std::string &form, const std::vector<PaperRow> &all) {
  std::vector<PaperRow> rows;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
               [&](const PaperRow &row) { return row.record.form == form; });
  write_paper_csv(out / (figure + ".csv"), rows);
  plot_paper(paper_rows(rows), out);
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

void bench_paper(const PaperOptions &options) {
  const std::unique_ptr<Device> device = open_device(options.device, options.threads);
  TuningDatabase database;
  const MachineFigures figures = machine_figures(*device, &database);
  fmt::print("{}\n", device->info().name);
  Table2Options table;
  table.repeats = options.repeats;
  table.edges = std::max(4, static_cast<int>(std::lround(table.edges * std::sqrt(options.size))));
  write_paper_csv(options.out / "table2.csv", bench_paper_table2(*device, figures, table));
  FigureOptions figure;
  figure.repeats = options.repeats;
  figure.most_unknowns *= options.size;
  for (double &nodes : figure.nodes)
    nodes *= options.size;
  const std::vector<PaperRow> rows = bench_paper_figures(*device, figures, figure);
  write_figure(options.out, "figure4", "poisson", rows);
  write_figure(options.out, "figure5", "elasticity", rows);
  log::info("wrote table2.csv, figure4.csv, figure5.csv and plots into {}", options.out.string());
}

} // namespace weft
