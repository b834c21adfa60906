// What weft bench fv writes.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "bench/fv/bench_fv.h"
#include "bench/row_marks.h"
#include "output/plot/plot.h"
#include "run/kernel_timing.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

Json row_json(const FvRow &r) {
  const bool predicted = r.predicted_s > 0;
  Json row = {{"matrix", r.matrix},
              {"order", r.order.empty() ? Json() : Json(r.order)},
              {"rows", r.rows},
              {"block", r.block},
              {"outside", r.order.empty() ? Json() : Json(r.outside)},
              {"lines", r.lines},
              {"kernel", r.kernel},
              {"precision", r.precision},
              {"seconds", r.seconds},
              {"ns_a_cell", r.ns_a_cell()},
              {"flops", r.flops},
              {"bytes", r.bytes},
              {"moved_bytes", r.moved_bytes},
              {"gflops", r.flops / r.seconds * 1e-9},
              {"gbps", r.bytes / r.seconds * 1e-9},
              {"stream_gbps", r.stream_gbps},
              {"fraction", r.fraction},
              {"moved_gbps", r.moved_bytes / r.seconds * 1e-9},
              {"moved_fraction", r.moved_fraction()},
              {"predicted_s", predicted ? Json(r.predicted_s) : Json()},
              {"predicted_over_measured", predicted ? Json(r.predicted_over_measured) : Json()},
              {"bound", predicted ? Json(r.bound) : Json()}};
  add_state(row, r.disturbance, r.in_cache);
  return row;
}

// What a point of the figures is of, and the rows that say it.
struct PointOf {
  std::string precision, kernel, matrix; // "ideal", or a mesh
  double block = 0;
  bool operator<(const PointOf &other) const {
    return std::tie(precision, kernel, matrix, block) <
           std::tie(other.precision, other.kernel, other.matrix, other.block);
  }
};
struct PointRows {
  std::vector<double> ns_a_cell, shares, modelled; // the last over measured
};

std::map<PointOf, PointRows> points_of(const std::vector<Json> &rows) {
  std::map<PointOf, PointRows> points;
  for (const Json &row : rows) {
    PointRows &point = points[{row.at("precision"), row.at("kernel"), row.at("matrix"),
                               row.at("block").get<double>()}];
    const double seconds = row.at("seconds"), cells = row.at("rows");
    point.ns_a_cell.push_back(1e9 * seconds / cells);
    point.shares.push_back(row.at("fraction").get<double>() * row.at("moved_bytes").get<double>() /
                           row.at("bytes").get<double>());
    if (!row.at("predicted_over_measured").is_null())
      point.modelled.push_back(row.at("predicted_over_measured"));
  }
  return points;
}

Plot fv_figure(const std::string &precision, const char *y_label) {
  return {.title = fmt::format("Sums over neighbours, {}", precision),
          .x_label = "block size; of meshes the effective one",
          .y_label = y_label,
          .log_x = true};
}

void add_point(Plot &plot, const std::string &name, PlotStyle style, double x, double y) {
  auto found = std::find_if(plot.series.begin(), plot.series.end(),
                            [&](const PlotSeries &series) { return series.name == name; });
  if (found == plot.series.end())
    found = plot.series.insert(found, {name, style, {}});
  found->points.emplace_back(x, y);
}

} // namespace

std::vector<Json> fv_rows(const FvBenchResult &result) {
  std::vector<Json> rows;
  for (const FvRow &row : result.rows)
    rows.push_back(row_json(row));
  return rows;
}

void write_fv_json(const std::string &path, const FvBenchResult &result) {
  std::vector<Json> rows = fv_rows(result);
  rows.push_back({{"break_even_lines_of_32_bytes", result.break_even},
                  {"break_even_lines_of_the_machine", result.break_even_own}});
  write_bench_json(path, result.machine, rows);
}

void write_fv_csv(const std::string &path, const FvBenchResult &result) {
  write_rows_csv(path, fv_rows(result));
}

void plot_fv(const std::vector<Json> &rows, const std::filesystem::path &folder) {
  std::map<std::string, std::pair<Plot, Plot>> figures; // of a precision: time, bandwidth
  for (const auto &[of, point] : points_of(rows)) {
    auto &[time, bandwidth] =
        figures
            .try_emplace(
                of.precision, fv_figure(of.precision, "nanoseconds a cell"),
                fv_figure(of.precision, "bytes that the kernel moves, as a share of the bandwidth"))
            .first->second;
    const bool ideal = of.matrix == "ideal";
    const PlotStyle style = ideal ? PlotStyle::lines_points : PlotStyle::points;
    const std::string name = of.matrix + ", " + of.kernel;
    const double ns = median(point.ns_a_cell), share = median(point.shares);
    add_point(time, name, style, of.block, ns);
    add_point(bandwidth, name, style, of.block, share);
    if (ideal && !point.modelled.empty()) {
      const double modelled = median(point.modelled);
      add_point(time, name + ", model", PlotStyle::lines, of.block, ns * modelled);
      add_point(bandwidth, name + ", model", PlotStyle::lines, of.block, share / modelled);
    }
  }
  for (const auto &[precision, figure] : figures) {
    write_plot(figure.first, folder / fmt::format("fv_time_{}.svg", precision));
    write_plot(figure.second, folder / fmt::format("fv_bandwidth_{}.svg", precision));
  }
}

} // namespace weft
