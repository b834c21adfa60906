// Plots of series of points, drawn by the gnuplot program where it is installed.
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
};

// Throws `input` unless the file's name ends with .png or .svg; for command lines, to be asked
// before the work is done.
void check_plot_file(const std::filesystem::path &file);

// Writes the points into the file of the same name with .csv (columns: series, x, y), and the
// picture. Where gnuplot is not installed a notice says which package to install, and the result is
// false. Throws `system` where a file cannot be written or gnuplot fails.
bool write_plot(const Plot &plot, const std::filesystem::path &file);

} // namespace weft
