#include "kernel/text/lane_text.h"

#include <cctype>
#include <fmt/format.h>
#include <set>

#include "base/number.h"

namespace weft {

std::string LaneText::literal(double value) const {
  return format_literal(value, precision_);
}

std::string LaneText::constant(double value) const {
  return "lane_splat(" + literal(value) + ")";
}

void LaneText::append(const LaneText &body, double times) {
  std::size_t begin = 0;
  for (const double done : body.times_) {
    const std::size_t end = body.text_.find('\n', begin);
    line(body.text_.substr(begin, end - begin));
    times_.back() = times * done;
    begin = end + 1;
  }
  operations_ += times * body.operations_;
}

namespace {

// The words of a line: names, and what else letters and digits spell.
std::vector<std::string> words_of(const std::string &line) {
  std::vector<std::string> words(1);
  for (const char c : line)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  return words;
}

// "u0" of "  const lane u0 = cell->in[0];"
std::string declared_name(const std::string &line) {
  const std::size_t begin = line.find_first_not_of(' '), end = line.find(" = ");
  if (begin == std::string::npos || line.compare(begin, 6, "const ") != 0 ||
      end == std::string::npos)
    return "";
  return line.substr(line.rfind(' ', end - 1) + 1, end - line.rfind(' ', end - 1) - 1);
}

} // namespace

void LaneText::drop_unread_names() {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text_.size(); begin = text_.find('\n', begin) + 1)
    lines.push_back(text_.substr(begin, text_.find('\n', begin) + 1 - begin));
  std::set<std::string> read;
  std::string text;
  std::vector<double> times;
  for (std::size_t i = lines.size(); i-- > 0;) {
    const std::string name = declared_name(lines[i]);
    const bool loads = lines[i].find("lane_load(") != std::string::npos;
    if (!name.empty() && read.count(name) == 0 && !loads)
      continue;
    text.insert(0, lines[i]);
    times.insert(times.begin(), times_[i]);
    if (lines[i].compare(0, 14, "WEFT_FUNCTION ") == 0)
      read.clear();
    else
      for (const std::string &word : words_of(lines[i]))
        read.insert(word);
  }
  text_ = std::move(text);
  times_ = std::move(times);
}

double LaneText::occurrences(const std::string &of) const {
  double number = 0;
  std::size_t begin = 0;
  for (const double done : times_) {
    const std::size_t end = text_.find('\n', begin);
    for (std::size_t at = text_.find(of, begin); at < end; at = text_.find(of, at + of.size()))
      number += done;
    begin = end + 1;
  }
  return number;
}

void LaneText::sum(const std::string &declaration, const std::string &target,
                   const std::vector<Term> &terms, bool accumulate) {
  std::string value = accumulate ? target : "";
  for (const Term &term : terms) {
    const Coefficient &c = term.coefficient;
    if (c.literal && c.value == 0)
      continue;
    if (c.literal && (c.value == 1 || c.value == -1)) {
      if (value.empty()) {
        value = c.value == 1 ? term.factor : "-" + term.factor;
      } else {
        value = fmt::format("{} {} {}", value, c.value == 1 ? "+" : "-", term.factor);
        operations_.additions += 1;
      }
      continue;
    }
    const std::string factor =
        c.literal ? constant(c.value) : fmt::format("lane_splat({})", c.table);
    if (value.empty()) {
      value = fmt::format("{} * {}", factor, term.factor);
      operations_.multiplications += 1;
    } else {
      value = fmt::format("lane_fma({}, {}, {})", factor, term.factor, value);
      operations_.multiply_adds += 1;
      operations_.table_multiply_adds += c.literal ? 0 : 1;
    }
  }
  if (value.empty())
    value = constant(0);
  if (!(accumulate && value == target))
    line(fmt::format("{}{} = {};", declaration, target, value));
}

} // namespace weft
