#include "options/option_checks.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

#include "base/parallel.h"
#include "base/printable.h"

namespace weft {

namespace {

std::string wrong_value(const std::string &what, const std::string &found,
                        const std::string &allowed) {
  return fmt::format("{}\n  found:   \"{}\"\n  allowed: {}", what, shortened(found, 80), allowed);
}

template <typename Number> std::string allowed_numbers(Number least, Number most) {
  const std::string kind = std::is_integral_v<Number> ? "a whole number" : "a number";
  if (most == std::numeric_limits<Number>::max())
    return fmt::format("{}, at least {}", kind, least);
  return fmt::format("{}, {} to {}", kind, least, most);
}

} // namespace

template <typename Number> CLI::Validator number_in(Number least, Number most) {
  const std::string allowed = allowed_numbers(least, most);
  return CLI::Validator(
      [=](const std::string &text) {
        Number value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        // Not a number fails the comparisons.
        if (error == std::errc() && end == text.data() + text.size() && value >= least &&
            value <= most)
          return std::string();
        return wrong_value("a value that it does not take", text, allowed);
      },
      "");
}

template CLI::Validator number_in(int, int);
template CLI::Validator number_in(std::int64_t, std::int64_t);
template CLI::Validator number_in(double, double);

CLI::Validator some_text() {
  return CLI::Validator(
      [](const std::string &text) {
        return text.empty() ? std::string("an empty text, where a name is needed") : std::string();
      },
      "");
}

CLI::Option *add_threads_option(CLI::App &command, int &threads) {
  return command.add_option("--threads", threads, "cores of a CPU device; 0 = all")
      ->check(number_in(0, num_processors()));
}

} // namespace weft
