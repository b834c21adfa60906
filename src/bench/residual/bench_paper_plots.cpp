// The panels of figures 4 and 5 of Knepley, Rupp and Terrel, from the rows of their tables.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "bench/residual/bench_paper.h"
#include "output/plot/plot.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

// Form, cell type, precision.
using PanelOf = std::tuple<std::string, std::string, std::string>;

// Rows of one way of computing, in the order of their sizes.
struct Curve {
  std::string name;
  PlotSeries measured, predicted;
};

std::string curve_name(const Json &row) {
  const std::string strategy = row.at("strategy");
  return strategy + (row.at("work") == "integration" ? ", integrals alone" : ", residual");
}

Plot panel_plot(const std::vector<Json> &rows, const std::string &title) {
  std::vector<Curve> curves;
  for (const Json &row : rows) {
    const std::string name = curve_name(row);
    auto curve =
        std::find_if(curves.begin(), curves.end(), [&](const Curve &c) { return c.name == name; });
    if (curve == curves.end())
      curve = curves.insert(curves.end(),
                            {.name = name,
                             .measured = {.name = name},
                             .predicted = {.name = name + ", model", .style = PlotStyle::lines}});
    const double unknowns = row.at("dofs");
    curve->measured.points.emplace_back(unknowns, row.at("paper_gflops"));
    curve->predicted.points.emplace_back(unknowns, row.at("predicted_gflops"));
  }
  Plot plot{.title = title,
            .x_label = "unknowns",
            .y_label = "GFlop/s by the paper's equation (7)",
            .log_x = true};
  for (const Curve &curve : curves) {
    plot.series.push_back(curve.measured);
    plot.series.push_back(curve.predicted);
  }
  return plot;
}

} // namespace

void plot_paper(const std::vector<Json> &rows, const std::filesystem::path &folder) {
  std::map<PanelOf, std::vector<Json>> panels;
  for (const Json &row : rows)
    if (!row.at("paper_gflops").is_null()) // it ran
      panels[{row.at("form"), row.at("cell"), row.at("precision")}].push_back(row);
  for (const auto &[of, panel] : panels) {
    const auto &[form, cell, precision] = of;
    const char *figure = form == "poisson" ? "figure4" : "figure5";
    const char *dim = cell == "triangle" ? "2d" : "3d";
    write_plot(panel_plot(panel, fmt::format("{}, {}, {}, {}", form, dim, precision,
                                             panel.front().at("device").get<std::string>())),
               folder / fmt::format("{}_{}_{}.svg", figure, dim, precision));
  }
}

} // namespace weft
