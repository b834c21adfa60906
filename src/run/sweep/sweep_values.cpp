#include "run/sweep/sweep_values.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "base/error.h"

namespace weft {

namespace {

[[noreturn]] void fail(const std::string &what, const std::string &found,
                       const std::string &allowed) {
  throw Error(ErrorKind::input,
              {.what = what, .where = "--over", .found = found, .allowed = allowed});
}

constexpr const char *forms = "NAME=FROM:TO:COUNT, NAME=FROM:TO:COUNTlog (equal ratios), "
                              "NAME=V1,V2,...; with --samples NAME=FROM:TO or NAME=FROM:TO:log";

std::optional<double> number_of(const std::string &text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return {};
  return value;
}

double number_in(const std::string &text, const std::string &whole) {
  const std::optional<double> value = number_of(text);
  if (!value)
    fail("a value that is no number", fmt::format("\"{}\" in {}", text, whole), forms);
  return *value;
}

std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(at); end != std::string::npos; end = text.find(at, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

double between(const SweptParameter &parameter, double share) {
  const double low = parameter.values.front(), high = parameter.values.back();
  if (!parameter.logarithmic)
    return low + share * (high - low);
  return std::exp(std::log(low) + share * (std::log(high) - std::log(low)));
}

// The ends are in `values`.
void check_ends(const SweptParameter &parameter, const std::string &text) {
  const double low = parameter.values.front(), high = parameter.values.back();
  if (low == high)
    fail("a range whose ends are equal", text, "two numbers");
  if (parameter.logarithmic && !(low > 0 && high > 0))
    fail("equal ratios from or to a number that is not positive", text, "ends above 0");
}

void read_range(const std::string &values, const std::string &text, SweptParameter &parameter) {
  const std::vector<std::string> parts = split(values, ':');
  if (parts.size() > 3)
    fail("more than two ends and a number of values", text, forms);
  parameter.values = {number_in(parts[0], text), number_in(parts[1], text)};
  std::string count = parts.size() == 3 ? parts[2] : "";
  parameter.logarithmic = count.ends_with("log");
  if (parameter.logarithmic)
    count.resize(count.size() - 3);
  check_ends(parameter, text);
  if (count.empty()) {
    if (parts.size() == 3 && !parameter.logarithmic)
      fail("a range without a number of values", text, forms);
    parameter.is_range = true;
    return;
  }
  int number = 0;
  const auto [end, failure] = std::from_chars(count.data(), count.data() + count.size(), number);
  if (failure != std::errc() || end != count.data() + count.size() || number < 2 ||
      number > 1000000)
    fail("a number of values that is none", fmt::format("\"{}\" in {}", count, text),
         "2 to 1000000");
  const SweptParameter ends = parameter;
  parameter.values.resize(number);
  for (int i = 0; i < number; ++i)
    parameter.values[i] = between(ends, double(i) / (number - 1));
  parameter.values.front() = ends.values.front(); // as they were said
  parameter.values.back() = ends.values.back();
}

// The digits of a whole number, in a base, behind the point in reverse.
double radical_inverse(std::int64_t number, int base) {
  double value = 0, place = 1.0 / base;
  for (; number > 0; number /= base, place /= base)
    value += place * double(number % base);
  return value;
}

} // namespace

SweptParameter swept_parameter(const std::string &text) {
  const std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size())
    fail("what is swept is no name with values", text, forms);
  SweptParameter parameter;
  parameter.name = text.substr(0, equal);
  if (constexpr const char *table = "parameters."; parameter.name.starts_with(table))
    parameter.name = parameter.name.substr(std::string(table).size());
  const std::string values = text.substr(equal + 1);
  if (values.find(':') != std::string::npos) {
    read_range(values, text, parameter);
    return parameter;
  }
  for (const std::string &value : split(values, ','))
    parameter.values.push_back(number_in(value, text));
  return parameter;
}

std::vector<SweepPoint> sweep_grid(const std::vector<SweptParameter> &parameters) {
  std::vector<SweepPoint> points = {{}};
  for (const SweptParameter &parameter : parameters) {
    if (parameter.is_range)
      fail("a range without a number of values", parameter.name,
           "FROM:TO:COUNT, or --samples for points within ranges");
    std::vector<SweepPoint> more;
    bool forward = true;
    for (const SweepPoint &point : points) {
      for (std::size_t i = 0; i < parameter.values.size(); ++i) {
        more.push_back(point);
        more.back().push_back(parameter.values[forward ? i : parameter.values.size() - 1 - i]);
      }
      forward = !forward;
    }
    points = std::move(more);
  }
  return points;
}

std::vector<SweepPoint> sweep_samples(const std::vector<SweptParameter> &parameters, int count) {
  // Beyond some ten dimensions the points of neighbouring bases lie on lines.
  static constexpr int bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
  if (parameters.size() > std::size(bases))
    fail("more parameters than samples fill evenly", fmt::format("{}", parameters.size()),
         fmt::format("{}", std::size(bases)));
  for (const SweptParameter &parameter : parameters)
    if (!parameter.is_range)
      fail("samples of a parameter without a range", parameter.name,
           "NAME=FROM:TO or NAME=FROM:TO:log");
  constexpr int left_out = 20;
  std::vector<SweepPoint> points(count);
  for (int i = 0; i < count; ++i)
    for (std::size_t p = 0; p < parameters.size(); ++p)
      points[i].push_back(between(parameters[p], radical_inverse(left_out + i, bases[p])));
  return points;
}

} // namespace weft
