#include "output/report/section_tables.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

#include "output/csv_rows.h"
#include "output/plot/plot.h"
#include "output/report/html.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<Json>;

constexpr std::size_t most_plots = 12;   // of a table
constexpr std::size_t most_points = 500; // of a series
constexpr std::size_t most_probes = 8;

Rows rows_of(const std::string &file) {
  return std::filesystem::exists(file) ? read_rows_csv(file) : Rows();
}

// The columns of a table, but for those named.
std::vector<std::string> columns_of(const Rows &rows, const std::vector<std::string> &others) {
  std::vector<std::string> columns;
  for (const auto &[key, value] : rows.front().items())
    if (std::find(others.begin(), others.end(), key) == others.end())
      columns.push_back(key);
  return columns;
}

// Some of the rows, evenly spread, the last among them.
PlotSeries series_of(const std::vector<const Json *> &rows, const std::string &name,
                     const std::string &x, const std::string &y) {
  PlotSeries series{.name = name, .style = PlotStyle::lines, .points = {}};
  const std::size_t every = (rows.size() + most_points - 1) / most_points;
  for (std::size_t i = (rows.size() - 1) % every; i < rows.size(); i += every) {
    const Json &from = (*rows[i])[x], &to = (*rows[i])[y];
    if (from.is_number() && to.is_number())
      series.points.emplace_back(from.get<double>(), to.get<double>());
  }
  if (series.points.size() < 30)
    series.style = PlotStyle::lines_points;
  return series;
}

std::string plot_html(const std::string &title, const std::string &x,
                      const std::vector<PlotSeries> &series) {
  return svg_plot({.title = title,
                   .x_label = x,
                   .y_label = "",
                   .log_x = false,
                   .log_y = false,
                   .series = series,
                   .categories = {},
                   .width = 500,
                   .height = 280});
}

std::string plots_html(const std::string &heading, const std::vector<std::string> &plots) {
  if (plots.empty())
    return {};
  std::string html = "<h3>" + heading + "</h3>\n<div class=\"plots\">\n";
  for (std::size_t i = 0; i < std::min(plots.size(), most_plots); ++i)
    html += plots[i];
  html += "</div>\n";
  if (plots.size() > most_plots)
    html += html_paragraph(fmt::format("The first {} of {} are drawn.", most_plots, plots.size()),
                           "note");
  return html;
}

std::string functionals_over_time(const std::string &folder) {
  const Rows rows = rows_of(folder + "/functionals.csv");
  if (rows.size() < 2)
    return {};
  std::vector<const Json *> all;
  for (const Json &row : rows)
    all.push_back(&row);
  const std::string x = rows.front().begin().key();
  std::vector<std::string> plots;
  for (const std::string &column : columns_of(rows, {x, "converged"}))
    if (const std::string plot = plot_html(column, x, {series_of(all, "", x, column)});
        !plot.empty())
      plots.push_back(plot);
  return plots_html("Functionals over the steps", plots);
}

std::string probes_over_time(const std::string &folder) {
  const Rows rows = rows_of(folder + "/probes.csv");
  if (rows.empty() || rows.front().begin().key() != "time")
    return {};
  const std::vector<std::string> coordinates = {"x", "y", "z"};
  std::map<std::string, std::vector<const Json *>> places;
  for (const Json &row : rows) {
    std::string place;
    for (const std::string &d : coordinates)
      if (row.contains(d) && row[d].is_number())
        place += fmt::format("{}{:.6g}", place.empty() ? "" : ", ", row[d].get<double>());
    places[place].push_back(&row);
  }
  std::vector<std::string> plots;
  for (const std::string &column : columns_of(rows, {"time", "x", "y", "z", "converged"})) {
    std::vector<PlotSeries> series;
    for (const auto &[place, of_place] : places)
      if (of_place.size() > 1 && series.size() < most_probes)
        series.push_back(series_of(of_place, "(" + place + ")", "time", column));
    if (const std::string plot = plot_html(column, "time", series); !plot.empty())
      plots.push_back(plot);
  }
  return plots_html("Fields at probes", plots);
}

} // namespace

std::string tables_html(const std::string &folder) {
  return functionals_over_time(folder) + probes_over_time(folder);
}

} // namespace weft
