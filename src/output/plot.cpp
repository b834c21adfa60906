#include "output/plot.h"

#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/log.h"
#include "base/system/atomic_file.h"
#include "base/system/run_folder.h"
#include "base/system/run_program.h"
#include "base/system/scratch_directory.h"
#include "output/csv.h"

namespace weft {

namespace {

std::string file_text(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// A string of gnuplot: in single quotes, where only these mean something, but for ends of lines.
std::string quoted(const std::string &text) {
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' ? "''" : c == '\n' ? "'.\"\\n\".'" : std::string(1, c);
  return result + "'";
}

bool is_drawn(const Plot &plot, const std::pair<double, double> &point) {
  return std::isfinite(point.first) && std::isfinite(point.second) &&
         (!plot.log_x || point.first > 0) && (!plot.log_y || point.second > 0);
}

std::string csv_text(const Plot &plot) {
  std::string text = "series,x,y\n";
  for (const PlotSeries &series : plot.series)
    for (const auto &[x, y] : series.points)
      text += fmt::format(
          "{},{},{}\n", csv_field(series.name),
          plot.categories.empty() ? fmt::format("{}", x) : csv_field(plot.categories.at(x)), y);
  return text;
}

const char *style_text(PlotStyle style) {
  switch (style) {
  case PlotStyle::points:
    return "points pointtype 7 pointsize 0.7";
  case PlotStyle::lines:
    return "lines linewidth 2";
  case PlotStyle::lines_points:
    return "linespoints pointtype 7 pointsize 0.7";
  case PlotStyle::bars:
    return "boxes fillstyle solid 0.6";
  }
  return "";
}

// Bars take four fifths of each category.
std::string category_text(const Plot &plot) {
  std::string names;
  for (std::size_t i = 0; i < plot.categories.size(); ++i)
    names += fmt::format("{}{} {}", i > 0 ? ", " : "", quoted(plot.categories[i]), i);
  return fmt::format("set xtics ({})\nset xrange [-0.5:{}]\nset yrange [0:*]\nset boxwidth {}\n",
                     names, static_cast<double>(plot.categories.size()) - 0.5,
                     0.8 / static_cast<double>(plot.series.size()));
}

// Where a point of a series is drawn: bars beside those of the other series.
double drawn_x(const Plot &plot, std::size_t series, double x) {
  if (plot.series[series].style != PlotStyle::bars)
    return x;
  const double count = static_cast<double>(plot.series.size());
  return x + 0.8 * ((static_cast<double>(series) + 0.5) / count - 0.5);
}

std::string gnuplot_text(const Plot &plot, const std::string &extension,
                         const std::filesystem::path &picture) {
  std::string text =
      extension == ".svg"
          ? "set terminal svg size 900,600 dynamic background 'white' font 'sans,14' noenhanced\n"
          : "set terminal pngcairo size 900,600 font 'sans,11' noenhanced\n";
  text += fmt::format("set output {}\nset title {}\nset xlabel {}\nset ylabel {}\n",
                      quoted(picture.string()), quoted(plot.title), quoted(plot.x_label),
                      quoted(plot.y_label));
  text += "set grid\nset key outside bottom center horizontal\n";
  for (const auto &[axis, is_log] : {std::pair{"x", plot.log_x}, {"y", plot.log_y}})
    if (is_log)
      text += fmt::format("set logscale {}\n", axis);
  if (!plot.categories.empty())
    text += category_text(plot);
  std::string commands;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    std::string points;
    for (const auto &point : plot.series[i].points)
      if (is_drawn(plot, point))
        points += fmt::format("{} {}\n", drawn_x(plot, i, point.first), point.second);
    if (points.empty())
      continue;
    text += fmt::format("$series{} << WEFT_END\n{}WEFT_END\n", i, points);
    commands +=
        fmt::format("{} $series{} using 1:2 with {} title {}", commands.empty() ? "plot" : ",", i,
                    style_text(plot.series[i].style), quoted(plot.series[i].name));
  }
  return text + commands + "\n";
}

} // namespace

void check_plot_file(const std::filesystem::path &file) {
  if (file.extension() != ".png" && file.extension() != ".svg")
    throw Error(ErrorKind::input, {.what = "a plot is written in a format that Weft does not know",
                                   .found = file.string(),
                                   .allowed = "names that end with .png or .svg",
                                   .remedy = "choose one of these"});
}

bool write_plot(const Plot &plot, const std::filesystem::path &file) {
  check_plot_file(file);
  std::filesystem::path data = file;
  data.replace_extension(".csv");
  write_text_file(data, csv_text(plot));
  bool any = false;
  for (const PlotSeries &series : plot.series)
    for (const auto &point : series.points)
      any = any || is_drawn(plot, point);
  if (!any) {
    log::notice("{} is not drawn: no point of it can be", file.string());
    return false;
  }
  const std::filesystem::path program = find_program("gnuplot");
  if (program.empty()) {
    log::notice("{} is not drawn, because the program gnuplot is not installed (Debian: apt "
                "install gnuplot-nox); its points are in {}",
                file.string(), data.string());
    return false;
  }
  const std::filesystem::path folder = make_scratch_directory();
  const std::filesystem::path script = folder / "plot.gp", picture = folder / "picture";
  write_text_file(script, gnuplot_text(plot, file.extension().string(), picture));
  const ProgramEnd end = run_program({.arguments = {program.string(), script.string()}});
  const std::string drawn = file_text(picture);
  remove_run_folder(folder);
  if (end.status != 0 || drawn.empty())
    throw Error(ErrorKind::system,
                {.what = "gnuplot cannot draw a plot",
                 .where = file.string(),
                 .found = fmt::format("exit status {}: {}", end.status, end.output),
                 .remedy = "the points are in " + data.string()});
  write_text_file(file, drawn);
  return true;
}

} // namespace weft
