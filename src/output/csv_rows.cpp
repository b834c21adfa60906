#include "output/csv_rows.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "base/system/input_file.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

// Takes the fields of one record from `text`, which may hold line ends within quotes.
std::vector<std::string> next_record(const std::string &text, std::size_t &at, int &line) {
  std::vector<std::string> fields = {""};
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    line += c == '\n' ? 1 : 0;
    if (quoted && c == '"' && at + 1 < text.size() && text[at + 1] == '"')
      fields.back() += text[++at];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c == '\n' && !quoted) {
      ++at;
      break;
    } else if (c != '\r' || quoted)
      fields.back() += c;
  }
  return fields;
}

Json field_value(const std::string &field) {
  if (field.empty())
    return {};
  if (field == "true" || field == "false")
    return field == "true";
  double number = 0;
  const char *end = field.data() + field.size();
  const auto [stop, status] = std::from_chars(field.data(), end, number);
  if (status == std::errc() && stop == end && std::isfinite(number))
    return number;
  return field;
}

} // namespace

std::vector<Json> read_rows_csv(const std::string &path) {
  const std::string text = read_input_text(
      path, {.what = "table", .allowed = "a CSV file", .remedy = "name one that weft bench wrote"});
  std::size_t at = 0;
  int line = 1;
  const std::vector<std::string> keys = next_record(text, at, line);
  std::vector<Json> rows;
  while (at < text.size()) {
    const int first = line;
    const std::vector<std::string> fields = next_record(text, at, line);
    if (fields.size() != keys.size())
      throw Error(ErrorKind::input,
                  {.what = "a line of a table has another number of fields than its first line",
                   .where = fmt::format("{}:{}", path, first),
                   .found = std::to_string(fields.size()),
                   .allowed = std::to_string(keys.size()),
                   .remedy = "name a CSV file that weft bench wrote"});
    Json row;
    for (std::size_t i = 0; i < keys.size(); ++i)
      row[keys[i]] = field_value(fields[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace weft
