// Pieces of HTML: texts are escaped here, so that what a file holds is text on the page.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weft {

// A cell of a table.
struct HtmlCell {
  std::string html; // markup
  bool number = false;
};
HtmlCell text_cell(const std::string &text);
// Aligned to the right; empty without a number. "{:.6g}" by default.
HtmlCell number_cell(std::optional<double> value, int digits = 6);
HtmlCell count_cell(std::optional<double> value); // "1 497 664"

// A table, without a head where there are no names; columns whose first cell is a number's have
// their names to the right.
std::string html_table(const std::vector<std::string> &names,
                       const std::vector<std::vector<HtmlCell>> &rows);

// <section id="ID"><h2>TITLE</h2>...; empty where there is nothing in it.
std::string html_section(const std::string &id, const std::string &title, const std::string &html);

std::string html_paragraph(const std::string &text, const std::string &class_name = "");

// Digits in groups of three.
std::string grouped_count(double value);
// "0.52 s", "13 ms", "4.2 µs".
std::string seconds_text(double seconds);

} // namespace weft
