// What weft bench linalg writes.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "bench/linalg/bench_linalg.h"
#include "bench/row_marks.h"
#include "output/plot/plot.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const LinalgRow &r) {
  Json row = {{"block", r.of.block},
              {"systems", r.of.systems},
              {"storage", to_string(r.of.storage)},
              {"vectors", to_string(r.of.vectors)},
              {"library", r.library.empty() ? Json("weft") : Json(r.library)},
              {"unknowns", r.unknowns},
              {"seconds", r.seconds},
              {"flops", r.flops},
              {"bytes", r.bytes},
              {"mflops", r.flops / r.seconds * 1e-6},
              {"gbps", r.bytes / r.seconds * 1e-9},
              {"stream", r.stream},
              {"stream_gbps", r.stream_gbps},
              {"fraction", r.fraction},
              {"speedup_over_f64", r.speedup > 0 ? Json(r.speedup) : Json()}};
  add_state(row, r.disturbance, r.in_cache);
  return row;
}

Json to_json(const RooflineRow &r) {
  Json row = {{"storage", to_string(r.storage)},
              {"degree", r.degree},
              {"flops_per_number", 2 * r.degree - 1},
              {"flops_per_byte", r.intensity},
              {"gflops", r.gflops},
              {"limit_gflops", r.limit_gflops}};
  add_state(row, r.disturbance, false);
  return row;
}

Json to_json(const JacobiResult &r) {
  Json row = {
      {"problem", r.problem},         {"method", r.method},
      {"iterations", r.iterations},   {"iterations_of_f64", r.reached ? Json(r.of_f64) : Json()},
      {"corrections", r.corrections}, {"seconds", r.seconds},
      {"gflops", r.gflops},           {"residual", r.residual},
      {"reached", r.reached}};
  add_state(row, r.disturbance, false);
  return row;
}

template <typename Row> std::vector<Json> all_json(const std::vector<Row> &rows) {
  std::vector<Json> all;
  for (const Row &row : rows)
    all.push_back(to_json(row));
  return all;
}

std::vector<Json> histories_json(const JacobiTables &tables, int iterations_a_step) {
  std::vector<Json> all;
  for (const JacobiHistory &history : tables.histories)
    for (std::size_t i = 0; i < history.errors.size(); ++i)
      all.push_back({{"problem", history.problem},
                     {"method", history.method},
                     {"iteration", (i + 1) * iterations_a_step},
                     {"error", history.errors[i]}});
  return all;
}

void plot_blocks(const LinalgResult &result, const std::filesystem::path &folder) {
  // A picture for each layout and precision, as in the paper: rates of all blocks.
  std::map<std::string, Plot> plots;
  for (const LinalgRow &row : result.rows) {
    if (row.of.storage != row.of.vectors)
      continue;
    const std::string name = fmt::format("{}x{}", row.of.systems, to_string(row.of.vectors));
    Plot &plot = plots[name];
    plot.title = fmt::format("Building blocks, {}", name);
    plot.x_label = "unknowns";
    plot.y_label = "MFlop/s";
    plot.log_x = plot.log_y = true;
    const std::string block = row.of.block + (row.library.empty() ? "" : ", BLAS");
    auto found = std::find_if(plot.series.begin(), plot.series.end(),
                              [&](const PlotSeries &series) { return series.name == block; });
    if (found == plot.series.end())
      found = plot.series.insert(found, {block, PlotStyle::lines_points, {}});
    found->points.emplace_back(static_cast<double>(row.unknowns), row.flops / row.seconds * 1e-6);
  }
  for (const auto &[name, plot] : plots)
    write_plot(plot, folder / ("blocks_" + name + ".svg"));
}

void plot_jacobi(const JacobiTables &tables, const JacobiStencil &stencil,
                 const std::filesystem::path &folder) {
  Plot plot{.title = jacobi_title(stencil, tables.width),
            .x_label = "iterations",
            .y_label = "max |error| / max |x|",
            .log_y = true,
            .series = {}};
  for (const JacobiHistory &history : tables.histories) {
    if (history.problem != stencil.name)
      continue;
    PlotSeries series{history.method, PlotStyle::lines, {}};
    for (std::size_t i = 0; i < history.errors.size(); ++i)
      series.points.emplace_back(static_cast<double>((i + 1) * tables.iterations_a_step),
                                 history.errors[i]);
    plot.series.push_back(series);
  }
  if (!plot.series.empty())
    write_plot(plot, folder / ("jacobi" + stencil.file + ".svg"));
}

} // namespace

void write_linalg_json(const std::string &path, const LinalgResult &result) {
  std::vector<Json> rows = all_json(result.rows);
  for (const auto &more : {all_json(result.roofline), all_json(result.jacobi.results),
                           histories_json(result.jacobi, result.jacobi.iterations_a_step)})
    rows.insert(rows.end(), more.begin(), more.end());
  write_bench_json(path, result.machine, rows);
}

void write_linalg_csv(const std::string &path, const LinalgResult &result) {
  const std::filesystem::path file(path);
  const auto beside = [&](const std::string &part) {
    return (file.parent_path() / (file.stem().string() + "_" + part + ".csv")).string();
  };
  if (!result.rows.empty())
    write_rows_csv(path, all_json(result.rows));
  if (!result.roofline.empty())
    write_rows_csv(beside("roofline"), all_json(result.roofline));
  if (!result.jacobi.results.empty()) {
    write_rows_csv(beside("jacobi"), all_json(result.jacobi.results));
    write_rows_csv(beside("histories"),
                   histories_json(result.jacobi, result.jacobi.iterations_a_step));
  }
}

void plot_linalg(const LinalgResult &result, const std::filesystem::path &folder) {
  plot_blocks(result, folder);
  if (!result.roofline.empty()) {
    Plot plot{.title = "Roofline",
              .x_label = "flop/byte",
              .y_label = "GFlop/s",
              .log_x = true,
              .log_y = true,
              .series = {}};
    std::map<std::string, PlotSeries> series;
    for (const RooflineRow &row : result.roofline) {
      const std::string name = to_string(row.storage);
      series[name].points.emplace_back(row.intensity, row.gflops);
      series[name + " limit"].points.emplace_back(row.intensity, row.limit_gflops);
    }
    for (auto &[name, one] : series) {
      one.name = name;
      one.style = name.ends_with("limit") ? PlotStyle::lines : PlotStyle::lines_points;
      plot.series.push_back(one);
    }
    write_plot(plot, folder / "roofline.svg");
  }
  for (const JacobiStencil &stencil : jacobi_stencils())
    plot_jacobi(result.jacobi, stencil, folder);
}

} // namespace weft
