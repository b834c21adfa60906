// A plot's files: its points as CSV, and the picture.

#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "base/system/atomic_file.h"
#include "output/csv.h"
#include "output/plot/plot.h"

namespace weft {

namespace {

std::string csv_text(const Plot &plot) {
  std::string text = "series,x,y\n";
  for (const PlotSeries &series : plot.series)
    for (const auto &[x, y] : series.points)
      text += fmt::format(
          "{},{},{}\n", csv_field(series.name),
          plot.categories.empty() ? fmt::format("{}", x) : csv_field(plot.categories.at(x)), y);
  return text;
}

// The picture alone has its own style, and a ground to lie on.
std::string file_text(const std::string &svg) {
  const std::size_t content = svg.find('>') + 1;
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svg.substr(0, content) + "\n<style>\n" +
         svg_plot_style() + "</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>" +
         svg.substr(content);
}

} // namespace

void check_plot_file(const std::filesystem::path &file) {
  if (file.extension() != ".svg")
    throw Error(ErrorKind::input, {.what = "a plot is written in a format that Weft does not know",
                                   .found = file.string(),
                                   .allowed = "names that end with .svg",
                                   .remedy = "choose such a name"});
}

bool write_picture(const Plot &plot, const std::filesystem::path &file) {
  const std::string svg = svg_plot(plot);
  if (svg.empty()) {
    log::notice("{} is not drawn: no point of it can be", file.string());
    return false;
  }
  write_text_file(file, file_text(svg));
  return true;
}

bool write_plot(const Plot &plot, const std::filesystem::path &file) {
  check_plot_file(file);
  std::filesystem::path data = file;
  data.replace_extension(".csv");
  write_text_file(data, csv_text(plot));
  return write_picture(plot, file);
}

} // namespace weft
