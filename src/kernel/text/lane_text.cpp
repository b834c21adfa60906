#include "kernel/text/lane_text.h"

#include <fmt/format.h>

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
