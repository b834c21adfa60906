// A plot as SVG: the frame with its axes, the series, the legend below.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "base/embedded.h"
#include "base/markup.h"
#include "output/plot/axis.h"
#include "output/plot/plot.h"

namespace weft {

namespace {

constexpr double line_height = 20;
constexpr int num_series_colours = 8; // of plot.css
constexpr double bars_width = 0.8;    // of a category, of all its bars

// About as wide as text of 14 pixels is in common sans-serif fonts.
double text_width(const std::string &text) {
  const auto begins_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  };
  return 8.5 * static_cast<double>(std::count_if(text.begin(), text.end(), begins_character));
}

bool is_drawn(const Plot &plot, const std::pair<double, double> &point) {
  return std::isfinite(point.first) && std::isfinite(point.second) &&
         (!plot.log_x || point.first > 0) && (!plot.log_y || point.second > 0);
}

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

// The frame's edges, and what its axes reach over.
struct Frame {
  double left = 0, right = 0, top = 0, bottom = 0;
  Axis x, y;

  double at_x(double value) const { return left + (right - left) * x.fraction(value); }
  double at_y(double value) const { return bottom - (bottom - top) * y.fraction(value); }
};

// Where the names of series stand: rows of the legend, left to right.
struct LegendEntry {
  std::size_t series = 0;
  double x = 0;
  int row = 0;
};

std::vector<LegendEntry> make_legend(const Plot &plot) {
  std::vector<LegendEntry> entries;
  double x = 20;
  int row = 0;
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    if (plot.series[s].points.empty() || plot.series[s].name.empty())
      continue;
    const double width = 50 + text_width(plot.series[s].name);
    if (x > 20 && x + width > plot.width) {
      x = 20;
      ++row;
    }
    entries.push_back({s, x, row});
    x += width;
  }
  return entries;
}

// Names of categories that are wider than their places stand aslant.
bool is_aslant(const Plot &plot) {
  double widest = 0;
  for (const std::string &name : plot.categories)
    widest = std::max(widest, text_width(name));
  return widest >
         (plot.width - 120) / static_cast<double>(std::max<std::size_t>(1, plot.categories.size()));
}

double category_height(const Plot &plot) {
  if (plot.categories.empty() || !is_aslant(plot))
    return line_height;
  double widest = 0;
  for (const std::string &name : plot.categories)
    widest = std::max(widest, text_width(name));
  return line_height + 0.5 * widest; // an angle of 30 degrees
}

std::optional<Frame> make_frame(const Plot &plot, int legend_rows) {
  Range x, y;
  for (const PlotSeries &series : plot.series)
    for (const auto &point : series.points)
      if (is_drawn(plot, point)) {
        x.add(point.first);
        y.add(point.second);
        if (series.style == PlotStyle::bars && !plot.log_y)
          y.add(0);
      }
  if (!(x.least <= x.most))
    return {};
  Frame frame{.right = plot.width - 20,
              .top = plot.title.empty() ? 12.0 : 16 + line_height,
              .bottom = plot.height - 16 - category_height(plot) - line_height * legend_rows -
                        (plot.x_label.empty() ? 0 : line_height),
              .x = {},
              .y = make_axis(y.least, y.most, plot.log_y, 6)};
  double widest = 0;
  for (const Tick &tick : frame.y.ticks)
    widest = std::max(widest, text_width(tick.label));
  frame.left = 16 + widest + (plot.y_label.empty() ? 0 : line_height);
  if (plot.categories.empty())
    frame.x = make_axis(x.least, x.most, plot.log_x, 8);
  else
    frame.x = {.low = -0.5, .high = static_cast<double>(plot.categories.size()) - 0.5};
  return frame;
}

std::string text_at(double x, double y, const char *anchor, const std::string &text,
                    const std::string &more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, markup_text(text));
}

std::string axes_text(const Plot &plot, const Frame &frame) {
  std::string grid, labels;
  for (const Tick &tick : frame.x.ticks) {
    grid += fmt::format("M{:.1f} {:.1f}V{:.1f}", frame.at_x(tick.value), frame.top, frame.bottom);
    labels += text_at(frame.at_x(tick.value), frame.bottom + 18, "middle", tick.label);
  }
  for (const Tick &tick : frame.y.ticks) {
    grid += fmt::format("M{:.1f} {:.1f}H{:.1f}", frame.left, frame.at_y(tick.value), frame.right);
    labels += text_at(frame.left - 6, frame.at_y(tick.value) + 5, "end", tick.label);
  }
  const bool aslant = is_aslant(plot);
  for (std::size_t i = 0; i < plot.categories.size(); ++i) {
    const double x = frame.at_x(static_cast<double>(i)), y = frame.bottom + 18;
    labels += aslant ? text_at(x, y, "end", plot.categories[i],
                               fmt::format(" transform=\"rotate(-30 {:.1f} {:.1f})\"", x, y))
                     : text_at(x, y, "middle", plot.categories[i]);
  }
  const double middle = (frame.top + frame.bottom) / 2;
  if (!plot.x_label.empty())
    labels += text_at((frame.left + frame.right) / 2, frame.bottom + category_height(plot) + 18,
                      "middle", plot.x_label);
  if (!plot.y_label.empty())
    labels += text_at(16, middle, "middle", plot.y_label,
                      fmt::format(" transform=\"rotate(-90 16 {:.1f})\"", middle));
  if (!plot.title.empty())
    labels += text_at(plot.width / 2, 22, "middle", plot.title, " class=\"title\"");
  return fmt::format("<path class=\"grid\" d=\"{}\"/>\n<rect class=\"frame\" x=\"{:.1f}\" "
                     "y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n{}",
                     grid, frame.left, frame.top, frame.right - frame.left,
                     frame.bottom - frame.top, labels);
}

// Series beyond the colours have other marks: discs, squares, triangles.
std::string mark_text(std::size_t series, double x, double y) {
  switch (series / num_series_colours % 3) {
  case 0:
    return fmt::format("M{:.1f} {:.1f}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", x - 3.5, y);
  case 1:
    return fmt::format("M{:.1f} {:.1f}h7v7h-7z", x - 3.5, y - 3.5);
  default:
    return fmt::format("M{:.1f} {:.1f}l4 7h-8z", x, y - 4);
  }
}

const char *dashes(std::size_t series) {
  return series / num_series_colours % 2 == 1 ? " stroke-dasharray=\"7 4\"" : "";
}

// Bars stand beside those of the other series, from zero.
std::string bar_text(const Plot &plot, const Frame &frame, std::size_t series,
                     const std::pair<double, double> &point) {
  const double count = static_cast<double>(plot.series.size());
  const double from = point.first + bars_width * (static_cast<double>(series) / count - 0.5);
  const double zero = plot.log_y ? frame.bottom : frame.at_y(0), y = frame.at_y(point.second);
  return fmt::format("M{:.1f} {:.1f}V{:.1f}H{:.1f}V{:.1f}z", frame.at_x(from), zero, y,
                     frame.at_x(from + bars_width / count), zero);
}

std::string series_text(const Plot &plot, const Frame &frame, std::size_t s) {
  const PlotSeries &series = plot.series[s];
  std::string line, marks;
  for (const auto &point : series.points) {
    if (!is_drawn(plot, point))
      continue;
    if (series.style == PlotStyle::bars) {
      marks += bar_text(plot, frame, s, point);
      continue;
    }
    const double x = frame.at_x(point.first), y = frame.at_y(point.second);
    if (series.style != PlotStyle::points)
      line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x, y);
    if (series.style != PlotStyle::lines)
      marks += mark_text(s, x, y);
  }
  std::string text;
  if (!line.empty())
    text += fmt::format("<path class=\"line\" d=\"{}\"{}/>", line, dashes(s));
  if (!marks.empty())
    text += fmt::format("<path class=\"{}\" d=\"{}\"/>",
                        series.style == PlotStyle::bars ? "bar" : "mark", marks);
  return fmt::format("<g class=\"s{}\">{}</g>\n", s % num_series_colours, text);
}

std::string legend_text(const Plot &plot, const std::vector<LegendEntry> &legend) {
  std::string text;
  const int rows = legend.empty() ? 0 : legend.back().row + 1;
  for (const LegendEntry &entry : legend) {
    const PlotSeries &series = plot.series[entry.series];
    const double y = plot.height - 8 - line_height * (rows - entry.row) + 14, x = entry.x;
    std::string key;
    if (series.style == PlotStyle::bars)
      key = fmt::format("<path class=\"bar\" d=\"M{:.1f} {:.1f}h14v10h-14z\"/>", x + 3, y - 9);
    if (series.style == PlotStyle::lines || series.style == PlotStyle::lines_points)
      key += fmt::format("<path class=\"line\" d=\"M{:.1f} {:.1f}h20\"{}/>", x, y - 5,
                         dashes(entry.series));
    if (series.style == PlotStyle::points || series.style == PlotStyle::lines_points)
      key += fmt::format("<path class=\"mark\" d=\"{}\"/>", mark_text(entry.series, x + 10, y - 5));
    text += fmt::format("<g class=\"s{}\">{}</g>", entry.series % num_series_colours, key) +
            text_at(x + 26, y, "start", series.name);
  }
  return text;
}

} // namespace

std::string svg_plot(const Plot &plot) {
  const std::vector<LegendEntry> legend = make_legend(plot);
  const std::optional<Frame> frame = make_frame(plot, legend.empty() ? 0 : legend.back().row + 1);
  if (!frame)
    return {};
  std::string text = fmt::format(
      "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" "
      "width=\"{0:g}\" height=\"{1:g}\" role=\"img\">\n",
      plot.width, plot.height);
  if (!plot.title.empty())
    text += fmt::format("<title>{}</title>\n", markup_text(plot.title));
  text += axes_text(plot, *frame);
  for (std::size_t s = 0; s < plot.series.size(); ++s)
    if (!plot.series[s].points.empty())
      text += series_text(plot, *frame, s);
  return text + legend_text(plot, legend) + "</svg>\n";
}

std::string svg_plot_style() {
  return embedded_text("src/output/plot/plot.css");
}

} // namespace weft
