// The text of the case, and what ran it.

#include <fmt/format.h>

#include "base/markup.h"
#include "output/report/html.h"
#include "output/report/sections.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

std::string span(const char *class_name, const std::string &text) {
  return fmt::format("<span class=\"{}\">{}</span>", class_name, markup_text(text));
}

// The rest of a line of TOML: strings and a comment told apart from the rest.
std::string value_html(const std::string &text) {
  std::string html, plain;
  const auto end_plain = [&] {
    html += markup_text(plain);
    plain.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '#') {
      end_plain();
      return html + span("comment", text.substr(at));
    }
    if (c == '"' || c == '\'') {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != c)
        end += c == '"' && text[end] == '\\' ? 2 : 1;
      end_plain();
      html += span("string", text.substr(at, end + 1 - at));
      at = end + 1;
      continue;
    }
    plain += c;
    ++at;
  }
  end_plain();
  return html;
}

// A line of TOML: tables and keys stand out. Lines within texts of several lines are not told apart
// from others, which colours some words more.
std::string line_html(const std::string &line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos)
    return markup_text(line);
  const std::size_t equals = line.find('='), bracket = line.find(']');
  if (line[begin] == '[' && bracket != std::string::npos && equals == std::string::npos)
    return span("table", line.substr(0, line.rfind(']') + 1)) +
           value_html(line.substr(line.rfind(']') + 1));
  const std::size_t key_end = line.find_first_of("#'{[(", begin);
  if (equals != std::string::npos && (key_end == std::string::npos || equals < key_end))
    return span("key", line.substr(0, equals)) + value_html(line.substr(equals));
  return value_html(line);
}

} // namespace

std::string case_text_html(const ResultsFile &results) {
  const std::string text = results.text("case_text");
  if (text.empty())
    return {};
  std::string html;
  if (const std::string file = results.text("case"); !file.empty())
    html += html_paragraph(file, "note");
  html += "<pre>";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    html += line_html(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  html += "</pre>\n";
  const std::vector<std::string> overrides = results.texts("overrides");
  if (overrides.empty())
    return html;
  html += html_paragraph("Changed on the command line:") + "<pre>";
  for (const std::string &change : overrides)
    html += markup_text("--set " + change) + "\n";
  return html + "</pre>\n";
}

std::string machine_html(const ResultsFile &results) {
  std::vector<std::vector<HtmlCell>> rows;
  const auto add = [&](const char *what, const std::string &text) {
    if (!text.empty())
      rows.push_back({text_cell(what), text_cell(text)});
  };
  const std::string commit = results.text("commit");
  add("Weft", results.text("version") + (commit.empty() ? "" : ", commit " + commit));
  add("written", results.text("date"));
  add("processor", results.text("processor"));
  add("device", results.text("device"));
  const Json &variants = results.value("variants");
  if (variants.is_object())
    for (const auto &[kernel, variant] : variants.items())
      if (variant.is_string())
        add("variant", kernel + ": " + variant.get<std::string>() + " (" +
                           text_of(results.value("variants_from"), kernel) + ")");
  return html_table({}, rows);
}

} // namespace weft
