#include "output/plot/axis.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/number.h"

namespace weft {

namespace {

std::string power_label(int exponent) {
  return exponent >= -2 && exponent <= 4 ? format_real(std::pow(10.0, exponent))
                                         : fmt::format("1e{}", exponent);
}

// Steps of about span/num_ticks: 1, 2 or 5 times a power of ten.
double nice_step(double span, int num_ticks) {
  const double rough = span / num_ticks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * (1 - 1e-9))
      return factor * power;
  return 10 * power;
}

// A number of the multiples of `step`, without the rounding of the multiplication.
std::string multiple_label(double value, double step) {
  if (value == 0)
    return "0";
  const double size = std::abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
    return fmt::format("{:.6g}e{}", value / std::pow(10, exponent), exponent);
  }
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  return fmt::format("{:.{}f}", value, decimals);
}

Axis linear_axis(double least, double most, int num_ticks) {
  // One value alone, or values whose ticks would need more digits than there is space for.
  if (!(most - least > 1e-6 * std::max(std::abs(least), std::abs(most)))) {
    const double half = least == 0 ? 1 : std::abs(least) / 10;
    least -= half;
    most += half;
  }
  const double step = nice_step(most - least, num_ticks);
  const double first = std::floor(least / step + 1e-9), last = std::ceil(most / step - 1e-9);
  Axis axis{.low = first * step, .high = last * step};
  for (double i = first; i <= last; ++i)
    axis.ticks.push_back({i * step, multiple_label(i * step, step)});
  return axis;
}

Axis log_axis(double least, double most, int num_ticks) {
  int first = static_cast<int>(std::floor(std::log10(least) + 1e-9));
  int last = static_cast<int>(std::ceil(std::log10(most) - 1e-9));
  if (first == last)
    ++last;
  Axis axis{.low = std::pow(10, first), .high = std::pow(10, last), .log = true};
  const int decades = last - first, every = std::max(1, (decades + num_ticks - 1) / num_ticks);
  for (int decade = first; decade <= last; ++decade) {
    axis.ticks.push_back(
        {std::pow(10, decade), (decade - first) % every == 0 ? power_label(decade) : ""});
    if (decades <= 3 && decade < last)
      for (const int factor : {2, 5})
        axis.ticks.push_back(
            {factor * std::pow(10, decade),
             decades == 1 ? multiple_label(factor * std::pow(10, decade), std::pow(10, decade))
                          : ""});
  }
  return axis;
}

} // namespace

double Axis::fraction(double value) const {
  return log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

Axis make_axis(double least, double most, bool log, int num_ticks) {
  return log ? log_axis(least, most, num_ticks) : linear_axis(least, most, num_ticks);
}

} // namespace weft
