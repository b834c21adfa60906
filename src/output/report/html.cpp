#include "output/report/html.h"

#include <cmath>
#include <fmt/format.h>

#include "base/markup.h"

namespace weft {

HtmlCell text_cell(const std::string &text) {
  return {markup_text(text), false};
}

HtmlCell number_cell(std::optional<double> value, int digits) {
  return {value ? fmt::format("{:.{}g}", *value, digits) : "", true};
}

HtmlCell count_cell(std::optional<double> value) {
  return {value ? grouped_count(*value) : "", true};
}

std::string html_table(const std::vector<std::string> &names,
                       const std::vector<std::vector<HtmlCell>> &rows) {
  if (rows.empty())
    return {};
  std::string html = "<div class=\"wide\"><table>\n";
  if (!names.empty())
    html += "<tr>";
  for (std::size_t i = 0; i < names.size(); ++i)
    html += fmt::format("<th{}>{}</th>", rows.front()[i].number ? " class=\"number\"" : "",
                        markup_text(names[i]));
  if (!names.empty())
    html += "</tr>\n";
  for (const auto &row : rows) {
    html += "<tr>";
    for (const HtmlCell &cell : row)
      html += fmt::format("<td{}>{}</td>", cell.number ? " class=\"number\"" : "", cell.html);
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string html_section(const std::string &id, const std::string &title, const std::string &html) {
  return html.empty() ? html
                      : fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id,
                                    markup_text(title), html);
}

std::string html_paragraph(const std::string &text, const std::string &class_name) {
  return fmt::format("<p{}>{}</p>\n", class_name.empty() ? "" : " class=\"" + class_name + "\"",
                     markup_text(text));
}

std::string grouped_count(double value) {
  const std::string digits = fmt::format("{:.0f}", std::abs(value));
  std::string text = value < 0 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0)
      text += "\u202f"; // a narrow space at which lines do not break
    text += digits[i];
  }
  return text;
}

std::string seconds_text(double seconds) {
  if (seconds >= 1)
    return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3)
    return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} \u00b5s", seconds * 1e6);
}

} // namespace weft
