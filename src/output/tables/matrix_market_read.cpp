#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/system/input_file.h"
#include "output/tables/matrix_market.h"

namespace weft {

namespace {

// A file's lines and the numbers on them.
class Reader {
public:
  explicit Reader(const std::string &path) : path_(path) {
    text_ = read_input_text(path, {.what = "file", .allowed = "a file of Matrix Market"});
    next_ = text_.data();
    end_ = next_ + text_.size();
  }

  // What stands in the first line after "%%MatrixMarket matrix "; the comments after it are passed
  // over.
  std::string format(const std::vector<std::string> &allowed) {
    constexpr std::string_view banner = "%%MatrixMarket matrix ";
    const std::string_view line = rest_of_line();
    const std::string found(line.starts_with(banner) ? line.substr(banner.size()) : "");
    if (std::find(allowed.begin(), allowed.end(), found) == allowed.end())
      throw Error(ErrorKind::input,
                  {.what = "not a file of Matrix Market that is read here",
                   .where = path_ + ":1",
                   .found = std::string(line.substr(0, 80)),
                   .allowed = fmt::format("{}{}", banner, fmt::join(allowed, ", "))});
    while (next_ < end_ && *next_ == '%')
      rest_of_line();
    return found;
  }

  template <typename Number> Number number(const char *what) {
    skip_blanks();
    Number value{};
    const auto [stop, error] = std::from_chars(next_, end_, value);
    if (error != std::errc())
      fail(fmt::format("{} is missing or not a number", what),
           std::string(next_, std::find(next_, std::min(end_, next_ + 40), '\n')));
    next_ = stop;
    return value;
  }

  // An index from 1 to `most`, returned from 0.
  std::int32_t index(const char *what, std::int32_t most) {
    const auto value = number<std::int32_t>(what);
    if (value < 1 || value > most)
      fail(fmt::format("{} is out of range", what), std::to_string(value));
    return value - 1;
  }

  void expect_end() {
    skip_blanks();
    if (next_ < end_)
      fail("there is more in the file than its sizes say", "");
  }

  [[noreturn]] void fail(const std::string &what, const std::string &found) const {
    const auto line = 1 + std::count(text_.data(), text_.empty() ? text_.data() : next_, '\n');
    throw Error(ErrorKind::input,
                {.what = what, .where = fmt::format("{}:{}", path_, line), .found = found});
  }

private:
  void skip_blanks() {
    while (next_ < end_ && (*next_ == ' ' || *next_ == '\n' || *next_ == '\r' || *next_ == '\t'))
      ++next_;
  }
  std::string_view rest_of_line() {
    const char *stop = std::find(next_, end_, '\n');
    std::string_view line(next_, static_cast<std::size_t>(stop - next_));
    next_ = stop == end_ ? end_ : stop + 1;
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    return line;
  }

  std::string path_;
  std::string text_;
  const char *next_ = nullptr;
  const char *end_ = nullptr;
};

struct Entry {
  std::int32_t row, column;
  double value;
};

// Compressed rows with ascending columns; an entry given twice is its row, else -1.
std::int32_t compress(std::int32_t num_rows, const std::vector<Entry> &entries,
                      HostMatrix &matrix) {
  matrix.row_start.assign(num_rows + 1, 0);
  for (const Entry &e : entries)
    ++matrix.row_start[e.row + 1];
  for (std::int32_t i = 0; i < num_rows; ++i)
    matrix.row_start[i + 1] += matrix.row_start[i];
  std::vector<std::pair<std::int32_t, double>> sorted(entries.size());
  std::vector<std::int32_t> place(matrix.row_start.begin(), matrix.row_start.end() - 1);
  for (const Entry &e : entries)
    sorted[place[e.row]++] = {e.column, e.value};
  matrix.columns.resize(entries.size());
  matrix.values.resize(entries.size());
  for (std::int32_t i = 0; i < num_rows; ++i) {
    const auto begin = sorted.begin() + matrix.row_start[i];
    const auto end = sorted.begin() + matrix.row_start[i + 1];
    std::sort(begin, end, [](const auto &a, const auto &b) { return a.first < b.first; });
    if (std::adjacent_find(begin, end,
                           [](const auto &a, const auto &b) { return a.first == b.first; }) != end)
      return i;
    for (auto entry = begin; entry != end; ++entry) {
      matrix.columns[entry - sorted.begin()] = entry->first;
      matrix.values[entry - sorted.begin()] = entry->second;
    }
  }
  return -1;
}

} // namespace

HostMatrix read_matrix_market(const std::string &path) {
  Reader reader(path);
  const std::string format =
      reader.format({"coordinate real general", "coordinate real symmetric",
                     "coordinate integer general", "coordinate integer symmetric"});
  const bool symmetric = format.ends_with("symmetric");
  const auto num_rows = reader.number<std::int32_t>("the number of rows");
  const auto num_columns = reader.number<std::int32_t>("the number of columns");
  const auto num_entries = reader.number<std::int64_t>("the number of entries");
  if (num_rows < 0 || num_rows != num_columns)
    reader.fail("the matrix is not square", fmt::format("{} x {}", num_rows, num_columns));
  const std::int64_t most = std::numeric_limits<std::int32_t>::max() / (symmetric ? 2 : 1);
  if (num_entries < 0 || num_entries > most)
    reader.fail("the number of entries is out of range", std::to_string(num_entries));
  std::vector<Entry> entries;
  for (std::int64_t k = 0; k < num_entries; ++k) {
    const std::int32_t row = reader.index("a row", num_rows);
    const std::int32_t column = reader.index("a column", num_columns);
    const auto value = reader.number<double>("a value");
    entries.push_back({row, column, value});
    if (symmetric && row != column)
      entries.push_back({column, row, value});
  }
  reader.expect_end();
  HostMatrix matrix;
  if (const std::int32_t twice = compress(num_rows, entries, matrix); twice >= 0)
    reader.fail("an entry is given twice", fmt::format("in row {}", twice + 1));
  return matrix;
}

std::vector<double> read_matrix_market_vector(const std::string &path) {
  Reader reader(path);
  reader.format({"array real general", "array integer general"});
  const auto num_rows = reader.number<std::int64_t>("the number of rows");
  const auto num_columns = reader.number<std::int32_t>("the number of columns");
  if (num_rows < 0 || num_columns != 1)
    reader.fail("the array is not a column", fmt::format("{} x {}", num_rows, num_columns));
  std::vector<double> values;
  for (std::int64_t i = 0; i < num_rows; ++i)
    values.push_back(reader.number<double>("a value"));
  reader.expect_end();
  return values;
}

} // namespace weft
