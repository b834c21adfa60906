// Functionals, errors, and what was expected of them.

#include <fmt/format.h>

#include "base/markup.h"
#include "output/report/html.h"
#include "output/report/sections.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

// A number, or a list of them, to so many digits.
HtmlCell value_cell(const Json &value, int digits = 9) {
  const auto text_of_number = [&](const Json &number) {
    return number.is_number() ? fmt::format("{:.{}g}", number.get<double>(), digits)
                              : std::string("not finite");
  };
  if (!value.is_array())
    return {text_of_number(value), true};
  std::string text;
  for (const Json &component : value)
    text += (text.empty() ? "" : ", ") + text_of_number(component);
  return {text, true};
}

// The size of a functional's estimated error; empty where it was not asked for.
HtmlCell error_cell(const Json &errors, const std::string &name) {
  const auto found = errors.find(name);
  if (found == errors.end() || !found->is_object() || !found->contains("error"))
    return text_cell("");
  return value_cell((*found)["error"], 2);
}

std::string functionals_html(const ResultsFile &results) {
  const Json &functionals = results.value("functionals");
  const Json &errors = results.value("functional_errors");
  std::vector<std::vector<HtmlCell>> rows;
  if (functionals.is_object())
    for (const auto &[name, value] : functionals.items()) {
      std::vector<HtmlCell> &row = rows.emplace_back();
      row = {text_cell(name), value_cell(value)};
      if (errors.is_object())
        row.push_back(error_cell(errors, name));
    }
  std::vector<std::string> titles = {"functional", "value"};
  if (errors.is_object())
    titles.emplace_back("estimated error");
  std::string html = html_table(titles, rows);
  if (!rows.empty() && !results.is_true("functionals_converged"))
    html +=
        html_paragraph("The solve did not converge: these are values of its last state.", "bad");
  return html;
}

std::string gradients_html(const ResultsFile &results) {
  const Json &gradients = results.value("gradients");
  std::vector<std::vector<HtmlCell>> rows;
  if (gradients.is_object())
    for (const auto &[name, derivatives] : gradients.items())
      if (derivatives.is_object())
        for (const auto &[parameter, value] : derivatives.items())
          rows.push_back({text_cell(name), text_cell(parameter), value_cell(value)});
  return rows.empty()
             ? ""
             : "<h3>Gradients</h3>\n" + html_table({"functional", "by", "derivative"}, rows);
}

std::string errors_html(const ResultsFile &results) {
  const Json &errors = results.value("errors");
  std::vector<std::vector<HtmlCell>> rows;
  if (errors.is_object())
    for (const auto &[field, error] : errors.items())
      rows.push_back({text_cell(field), number_cell(number_of(error, "L2")),
                      number_cell(number_of(error, "H1"))});
  return rows.empty() ? ""
                      : "<h3>Errors against the exact solution</h3>\n" +
                            html_table({"field", "L2", "H1"}, rows);
}

std::string expected_html(const ResultsFile &results) {
  const Json &values = results.value("expected/values");
  if (!values.is_array() || values.empty())
    return {};
  std::vector<std::vector<HtmlCell>> rows;
  for (const Json &value : values)
    rows.push_back({text_cell(text_of(value, "name")),
                    number_cell(number_of(value, "found"), 9),
                    text_cell(text_of(value, "expected")),
                    {is_true(value, "met") ? "<span class=\"good\">reached</span>"
                                           : "<span class=\"bad\">missed</span>",
                     false}});
  return "<h3>Expected values</h3>\n" + html_table({"value", "found", "expected", ""}, rows) +
         html_paragraph("Source: " + results.text("expected/source"), "note");
}

std::string not_finite_html(const ResultsFile &results) {
  std::string html;
  const Json &list = results.value("not_finite");
  if (list.is_array())
    for (const Json &value : list)
      html += fmt::format("<li>{} {}</li>\n", markup_text(text_of(value, "name")),
                          markup_text(text_of(value, "fault")));
  return html.empty() ? html : "<h3>Not finite</h3>\n<ul>\n" + html + "</ul>\n";
}

} // namespace

std::string values_html(const ResultsFile &results) {
  return functionals_html(results) + gradients_html(results) + errors_html(results) +
         expected_html(results) + not_finite_html(results);
}

} // namespace weft
