// Plots of series of points, as SVG.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace weft {

// bars: of categories, those of all series side by side.
enum class PlotStyle { points, lines, lines_points, bars };

struct PlotSeries {
  std::string name;
  PlotStyle style = PlotStyle::points;
  std::vector<std::pair<double, double>> points; // x, y; what is not finite is left out
};

struct Plot {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false; // then values that are not positive are left out
  std::vector<PlotSeries> series;
  std::vector<std::string> categories; // where x counts them, from 0
  double width = 900, height = 600;
};

// One <svg> element; empty where no point can be drawn. Colours are by classes, which
// svg_plot_style() gives.
std::string svg_plot(const Plot &plot);

// The style sheet of plots, on light and on dark pages: embedded src/output/plot/plot.css.
std::string svg_plot_style();

// Throws `input` unless the file's name ends with .svg; for command lines, to be asked before the
// work is done.
void check_plot_file(const std::filesystem::path &file);

// Writes the picture alone; false, and a notice, where no point can be drawn. Throws `system` where
// the file cannot be written.
bool write_picture(const Plot &plot, const std::filesystem::path &file);

// Writes the points into the file of the same name with .csv (columns: series, x, y), and the
// picture, unless no point can be drawn: then a notice says so, and the result is false. Throws
// `system` where a file cannot be written.
bool write_plot(const Plot &plot, const std::filesystem::path &file);

} // namespace weft
