// What solved the systems of equations, and how it went.

#include <fmt/format.h>

#include "output/plot/plot.h"
#include "output/report/html.h"
#include "output/report/sections.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

const Json &list_of(const ResultsFile &results, const std::string &path) {
  static const Json nothing = Json::array();
  const Json &list = results.value(path);
  return list.is_array() ? list : nothing;
}

// "cg with multigrid in f16, assembled (chosen by Weft)".
std::string method_text(const ResultsFile &results) {
  const std::string method = results.text("solver/method");
  if (method.empty())
    return {};
  std::string text = method;
  if (const std::string library = results.text("solver/library"); !library.empty())
    text += " (" + library + ")";
  if (const std::string preconditioner = results.text("solver/preconditioner");
      !preconditioner.empty() && method != "direct")
    text += " with " + preconditioner;
  if (const std::string precision = results.text("solver/precision"); !precision.empty())
    text += " in " + precision;
  const std::string op = results.text("solver/operator");
  if (!op.empty())
    text += op == "assembled" ? ", assembled" : ", matrix-free";
  return text + (results.is_true("solver/chosen") ? " (chosen by Weft)" : "");
}

std::string time_text(const ResultsFile &results) {
  const auto end = results.number("time/end"), steps = results.number("time/steps");
  if (!end || !steps)
    return {};
  const std::string parameter = results.text("time/parameter");
  std::string text =
      fmt::format("{} = {:.6g} reached in {} steps", parameter.empty() ? "time" : parameter, *end,
                  grouped_count(*steps));
  const auto add = [&](const char *key, const char *what) {
    if (const auto count = results.number(key); count && *count > 0)
      text += fmt::format(", {} {}", grouped_count(*count), what);
  };
  add("time/rejected", "taken back");
  add("time/newton_steps", "steps of Newton's method");
  add("time/stages", "evaluations of the right-hand side");
  const std::string stopped = results.text("time/stopped");
  if (!stopped.empty())
    text += "; stopped by " + stopped;
  return text + ".";
}

// Relative residuals over iterations, or over steps of Newton's method.
std::string history_html(const ResultsFile &results) {
  PlotSeries series{.name = "", .style = PlotStyle::lines_points, .points = {}};
  double number = 0;
  for (const Json &residual : list_of(results, "solver/history")) {
    if (residual.is_number())
      series.points.emplace_back(number, residual.get<double>());
    ++number;
  }
  if (series.points.size() < 3)
    return {};
  if (series.points.size() > 60)
    series.style = PlotStyle::lines;
  const bool newton = !list_of(results, "solver/newton").empty();
  const Plot plot{.title = "",
                  .x_label = newton ? "step of Newton's method" : "iteration",
                  .y_label = "relative residual",
                  .log_x = false,
                  .log_y = true,
                  .series = {series},
                  .categories = {},
                  .width = 640,
                  .height = 320};
  const bool in_time = results.number("time/steps").has_value();
  return fmt::format("<h3>Residual{}</h3>\n<div class=\"one-plot\">{}</div>\n",
                     in_time ? " of the last step" : "", svg_plot(plot));
}

std::string newton_html(const ResultsFile &results) {
  std::vector<std::vector<HtmlCell>> rows;
  for (const Json &step : list_of(results, "solver/newton"))
    rows.push_back(
        {count_cell(static_cast<double>(rows.size() + 1)),
         number_cell(number_of(step, "factor"), 4), number_cell(number_of(step, "residual"), 3),
         number_cell(number_of(step, "step"), 3), count_cell(number_of(step, "iterations")),
         text_cell(is_true(step, "taken_back") ? "taken back" : "")});
  return rows.empty()
             ? ""
             : "<h3>Newton's method</h3>\n" + html_table({"step", "damping", "residual",
                                                          "size of step", "linear iterations", ""},
                                                         rows);
}

std::string levels_html(const ResultsFile &results) {
  std::vector<std::vector<HtmlCell>> rows;
  for (const Json &level : list_of(results, "solver/levels")) {
    const auto entries = number_of(level, "entries"), bytes = number_of(level, "bytes"),
               unknowns = number_of(level, "unknowns");
    const bool has_matrix = entries && *entries > 0;
    rows.push_back({count_cell(static_cast<double>(rows.size())),
                    count_cell(unknowns),
                    has_matrix ? count_cell(entries) : HtmlCell{"\u2013", true},
                    has_matrix && unknowns && *unknowns > 0
                        ? HtmlCell{fmt::format("{:.1f}", *entries / *unknowns), true}
                        : HtmlCell{"", true},
                    text_cell(text_of(level, "precision")),
                    {bytes ? fmt::format("{:.2f} MB", *bytes * 1e-6) : "", true}});
  }
  if (rows.size() < 2)
    return {};
  std::string html =
      "<h3>Levels of multigrid</h3>\n" +
      html_table({"level", "unknowns", "non-zeros", "a row", "precision", "memory"}, rows);
  const auto complexity = results.number("solver/operator_complexity"),
             setup = results.number("solver/setup_s"), setups = results.number("solver/setups");
  std::string text;
  if (complexity)
    text = fmt::format("Operator complexity {:.2f}. ", *complexity);
  if (setup && setups)
    text +=
        fmt::format("Set up {} in {}.", *setups == 1 ? "once" : grouped_count(*setups) + " times",
                    seconds_text(*setup));
  return html + html_paragraph(text, "note");
}

} // namespace

std::string solver_html(const ResultsFile &results) {
  std::string html;
  for (const std::string &text : {method_text(results), results.text("solver/remark"),
                                  results.text("solver/reason"), time_text(results)})
    if (!text.empty())
      html += html_paragraph(text);
  return html + history_html(results) + newton_html(results) + levels_html(results);
}

} // namespace weft
