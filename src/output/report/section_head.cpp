// What a run is, and how it ended.

#include <filesystem>
#include <fmt/format.h>

#include "base/markup.h"
#include "output/report/html.h"
#include "output/report/sections.h"

namespace weft {

namespace {

std::string message_html(const std::string &text, const std::string &class_name) {
  return fmt::format("<div class=\"message{}\">{}</div>\n", class_name, markup_text(text));
}

// "done" in green, what is not a solution in red.
std::string status_html(const std::string &status) {
  if (status.empty())
    return {};
  std::string words = status;
  for (char &c : words)
    c = c == '_' ? ' ' : c;
  const char *const class_name = status == "done"          ? "good"
                                 : status == "interrupted" ? "warn"
                                                           : "bad";
  return fmt::format("<span class=\"status {}\">{}</span>", class_name, markup_text(words));
}

// "205 312 cells, 41 093 unknowns, 1.24 s, on a processor".
std::string facts_text(const ResultsFile &results) {
  std::string text;
  const auto add = [&](const std::string &fact) {
    if (!fact.empty())
      text += (text.empty() ? "" : " \u00b7 ") + fact;
  };
  if (const auto cells = results.number("mesh/cells"))
    add(grouped_count(*cells) + " cells");
  if (const auto dofs = results.number("dofs"))
    add(grouped_count(*dofs) + " unknowns");
  if (const auto steps = results.number("time/steps"))
    add(grouped_count(*steps) + " steps");
  if (const auto total = results.number("timings/total_s"))
    add(seconds_text(*total));
  add(results.text("device"));
  return text;
}

} // namespace

std::string head_html(const ResultsFile &results) {
  const std::string title = results.text("title"), file = results.text("case");
  std::string html = fmt::format("<h1>{}{}</h1>\n",
                                 markup_text(title.empty() ? file.empty() ? "A run" : file : title),
                                 status_html(results.text("outcome/status")));
  html += html_paragraph(facts_text(results), "facts");
  for (const std::string &failure : results.texts("outcome/failures"))
    html += message_html(failure, " bad");
  for (const std::string &notice : results.texts("notices"))
    html += message_html("Notice: " + notice, "");
  return html;
}

} // namespace weft
