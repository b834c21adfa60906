#include "case/tabulated_function.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"
#include "base/system/input_file.h"

namespace weft {

namespace {

constexpr std::size_t most_bytes = 1 << 20;
constexpr std::size_t most_shown = 60; // of a line, in a message

// "a", b ;c -> a b c
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  const bool separated = line.find_first_of(",;\t") != std::string_view::npos;
  const std::string_view separators = separated ? ",;\t" : " ";
  const auto trimmed = [](std::string_view field) {
    const std::size_t first = field.find_first_not_of(" \"\r"),
                      last = field.find_last_not_of(" \"\r");
    return first == std::string_view::npos ? std::string()
                                           : std::string(field.substr(first, last - first + 1));
  };
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(separators), line.size());
    const std::string field = trimmed(line.substr(0, end));
    if (separated || !field.empty())
      fields.push_back(field);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return fields;
}

std::optional<double> number_of(const std::string &field) {
  double value = 0;
  const char *begin = field.data() + (field.starts_with('+') ? 1 : 0);
  const auto [stop, error] = std::from_chars(begin, field.data() + field.size(), value);
  if (error != std::errc() || stop != field.data() + field.size() || !std::isfinite(value))
    return {};
  return value;
}

class TableReader {
public:
  TableReader(const std::string &path, const std::vector<std::string> &columns,
              const std::string &where)
      : names_(columns), where_(where) {
    table_.file = path;
  }

  TabulatedFunction read(const std::string &text) {
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
      ++line_;
      line = line.substr(0, line.find('#'));
      if (line.find_first_not_of(" \t\r") == std::string::npos)
        continue;
      const std::vector<std::string> fields = fields_of(line);
      if (is_first_ && !number_of(fields.front()))
        take_header(fields);
      else
        take_row(fields, line);
      is_first_ = false;
    }
    if (table_.at.size() < 2)
      fail("a table of too few rows", fmt::format("{} rows of numbers", table_.at.size()),
           "two rows at least");
    return std::move(table_);
  }

private:
  [[noreturn]] void fail(const std::string &what, const std::string &found,
                         const std::string &allowed, const std::string &remedy = {}) const {
    throw Error(ErrorKind::input, {.what = what,
                                   .where = where_ + fmt::format(" ({}:{})", table_.file, line_),
                                   .found = found,
                                   .allowed = allowed,
                                   .remedy = remedy});
  }

  void take_header(const std::vector<std::string> &fields) {
    has_header_ = true;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const auto found = std::find(fields.begin(), fields.end(), names_[k]);
      if (found == fields.end())
        fail("a table without such a column", names_[k], join_names(fields));
      column_[k] = static_cast<std::size_t>(found - fields.begin());
    }
  }

  void take_row(const std::vector<std::string> &fields, const std::string &line) {
    if (!names_.empty() && !has_header_)
      fail("a table whose columns have no names", line.substr(0, most_shown),
           "a first line with the names of the columns", "leave `columns` out");
    double row[2];
    for (int k = 0; k < 2; ++k) {
      const auto value =
          column_[k] < fields.size() ? number_of(fields[column_[k]]) : std::optional<double>();
      if (!value)
        fail(fmt::format("column {} of a table is not a number here", column_[k] + 1),
             line.substr(0, most_shown), "two finite numbers: argument, value");
      row[k] = *value;
    }
    if (!table_.at.empty() && !(row[0] > table_.at.back()))
      fail("arguments of a table that do not ascend", format_real(row[0]),
           fmt::format("more than {}, that of the row before", format_real(table_.at.back())));
    if (table_.at.size() == TabulatedFunction::most_rows)
      fail("a table of too many rows", fmt::format("more than {}", table_.at.size()),
           fmt::format("{} rows", TabulatedFunction::most_rows),
           "leave out rows where the function is smooth, and say kind = \"cubic\"");
    table_.at.push_back(row[0]);
    table_.values.push_back(row[1]);
  }

  const std::vector<std::string> &names_;
  const std::string &where_;
  TabulatedFunction table_;
  std::size_t column_[2] = {0, 1};
  bool is_first_ = true, has_header_ = false;
  int line_ = 0;
};

} // namespace

TabulatedFunction read_tabulated_function(const std::string &path,
                                          const std::vector<std::string> &columns,
                                          const std::string &where) {
  const std::string text = read_input_text(path, {.what = "table",
                                                  .allowed = "a CSV file of two columns",
                                                  .where = where,
                                                  .max_bytes = most_bytes});
  return TableReader(path, columns, where).read(text);
}

} // namespace weft
