// What weft bench fv writes.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "app/bench_fv.h"
#include "output/plot.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

Json row_json(const FvRow &r) {
  const bool predicted = r.predicted_s > 0;
  return {{"matrix", r.matrix},
          {"order", r.order.empty() ? Json() : Json(r.order)},
          {"rows", r.rows},
          {"block", r.block},
          {"outside", r.order.empty() ? Json() : Json(r.outside)},
          {"lines", r.lines},
          {"kernel", r.kernel},
          {"precision", r.precision},
          {"seconds", r.seconds},
          {"flops", r.flops},
          {"bytes", r.bytes},
          {"moved_bytes", r.moved_bytes},
          {"gflops", r.flops / r.seconds * 1e-9},
          {"gbps", r.bytes / r.seconds * 1e-9},
          {"stream_gbps", r.stream_gbps},
          {"fraction", r.fraction},
          {"predicted_s", predicted ? Json(r.predicted_s) : Json()},
          {"predicted_over_measured", predicted ? Json(r.predicted_over_measured) : Json()},
          {"bound", predicted ? Json(r.bound) : Json()}};
}

std::vector<Json> rows_json(const FvBenchResult &result) {
  std::vector<Json> rows;
  for (const FvRow &row : result.rows)
    rows.push_back(row_json(row));
  return rows;
}

} // namespace

void write_fv_json(const std::string &path, const FvBenchResult &result) {
  std::vector<Json> rows = rows_json(result);
  rows.push_back({{"break_even_lines_of_32_bytes", result.break_even},
                  {"break_even_lines_of_the_machine", result.break_even_own}});
  write_bench_json(path, result.machine, rows);
}

void write_fv_csv(const std::string &path, const FvBenchResult &result) {
  write_rows_csv(path, rows_json(result));
}

// In shares of the bandwidth: what drifts between two rows is in both.
void plot_fv(const FvBenchResult &result, const std::filesystem::path &folder) {
  std::map<std::string, Plot> plots;
  for (const FvRow &row : result.rows) {
    Plot &plot = plots[row.precision];
    plot.title = fmt::format("Sums over neighbours, {}", row.precision);
    plot.x_label = "block size; of meshes the effective one";
    plot.y_label = "share of memory bandwidth";
    plot.log_x = true;
    const auto add = [&](const std::string &name, PlotStyle style, double share) {
      auto found = std::find_if(plot.series.begin(), plot.series.end(),
                                [&](const PlotSeries &series) { return series.name == name; });
      if (found == plot.series.end())
        found = plot.series.insert(found, {name, style, {}});
      found->points.emplace_back(row.block, share);
    };
    if (row.order.empty()) {
      add(row.kernel, PlotStyle::lines_points, row.fraction);
      if (row.predicted_s > 0)
        add(row.kernel + ", model", PlotStyle::lines, row.fraction / row.predicted_over_measured);
    } else {
      add(fmt::format("{} {}, {}", row.matrix, row.order, row.kernel), PlotStyle::points,
          row.fraction);
    }
  }
  for (const auto &[precision, plot] : plots)
    write_plot(plot, folder / fmt::format("fv_{}.svg", precision));
}

} // namespace weft
