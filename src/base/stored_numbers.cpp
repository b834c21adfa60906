#include "base/stored_numbers.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"

namespace weft {

namespace {

// Fields of a number of 16 bits: sign, exponent, fraction.
struct Format16 {
  int exponent_bits, fraction_bits;
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint64_t infinity() const {
    return std::uint64_t((1 << exponent_bits) - 1) << fraction_bits;
  }
};
constexpr Format16 f16_format{5, 10}, bf16_format{8, 7};
constexpr int f64_fraction_bits = 52, f64_bias = 1023, f64_largest_exponent = 2047;

std::uint16_t bits16(double value, Format16 format) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 63 << 15);
  const int exponent = static_cast<int>(bits >> f64_fraction_bits & f64_largest_exponent);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << f64_fraction_bits) - 1);
  if (exponent == f64_largest_exponent) {
    const std::uint64_t quiet = fraction != 0 ? std::uint64_t{1} << (format.fraction_bits - 1) : 0;
    return static_cast<std::uint16_t>(sign | format.infinity() | quiet);
  }
  // Exponent of the target; subnormal numbers drop more bits and have the exponent field 0.
  const int target = exponent - f64_bias + format.bias();
  const int dropped = f64_fraction_bits - format.fraction_bits + (target < 1 ? 1 - target : 0);
  if (dropped > f64_fraction_bits + 1) // less than half of the smallest number
    return sign;
  const std::uint64_t significand = fraction | std::uint64_t{1} << f64_fraction_bits;
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t rest = significand & (2 * half - 1);
  std::uint64_t result = significand >> dropped;
  // The leading one of a normal number adds 1 to its exponent; so does a carry.
  if (target > 1)
    result += static_cast<std::uint64_t>(target - 1) << format.fraction_bits;
  result += rest > half || (rest == half && (result & 1) != 0) ? 1 : 0;
  return static_cast<std::uint16_t>(sign | std::min(result, format.infinity()));
}

double value16(std::uint16_t bits, Format16 format) {
  const std::uint64_t sign = std::uint64_t{bits} >> 15 << 63;
  const std::uint64_t magnitude = bits & 0x7fff;
  const std::uint64_t fraction = magnitude & ((1 << format.fraction_bits) - 1);
  const int exponent = static_cast<int>(magnitude >> format.fraction_bits);
  if (exponent == 0) {
    const double smallest = std::bit_cast<double>(
        static_cast<std::uint64_t>(f64_bias + 1 - format.bias() - format.fraction_bits)
        << f64_fraction_bits);
    const double value = static_cast<double>(fraction) * smallest;
    return sign != 0 ? -value : value;
  }
  const int wide =
      magnitude >= format.infinity() ? f64_largest_exponent : exponent - format.bias() + f64_bias;
  return std::bit_cast<double>(sign | static_cast<std::uint64_t>(wide) << f64_fraction_bits |
                               fraction << (f64_fraction_bits - format.fraction_bits));
}

template <typename T, typename Function>
void convert(const std::byte *from, double *to, std::int64_t count, const Function &value_of) {
  parallel_ranges(count, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t i = begin; i < end; ++i) {
      T stored;
      std::memcpy(&stored, from + i * sizeof(T), sizeof(T));
      to[i] = value_of(stored);
    }
  });
}
template <typename T, typename Function>
void convert(const double *from, std::byte *to, std::int64_t count, const Function &stored_of) {
  parallel_ranges(count, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t i = begin; i < end; ++i) {
      const T stored = stored_of(from[i]);
      std::memcpy(to + i * sizeof(T), &stored, sizeof(T));
    }
  });
}

} // namespace

std::uint16_t f16_bits(double value) {
  return bits16(value, f16_format);
}
std::uint16_t bf16_bits(double value) {
  return bits16(value, bf16_format);
}
double f16_value(std::uint16_t bits) {
  return value16(bits, f16_format);
}
double bf16_value(std::uint16_t bits) {
  return value16(bits, bf16_format);
}

double unit_roundoff(Precision p) {
  switch (p) {
  case Precision::f64:
    return 0x1p-53;
  case Precision::f32:
    return 0x1p-24;
  case Precision::f16:
    return 0x1p-11;
  case Precision::bf16:
    return 0x1p-8;
  }
  return 0;
}

double largest_number(Precision p) {
  switch (p) {
  case Precision::f64:
    return std::numeric_limits<double>::max();
  case Precision::f32:
    return std::numeric_limits<float>::max();
  case Precision::f16:
    return f16_value(0x7bff);
  case Precision::bf16:
    return bf16_value(0x7f7f);
  }
  return 0;
}

std::vector<std::byte> stored_numbers(std::span<const double> values, Precision p) {
  const auto count = static_cast<std::int64_t>(values.size());
  std::vector<std::byte> stored(count * size_bytes(p));
  switch (p) {
  case Precision::f64:
    if (count > 0)
      std::memcpy(stored.data(), values.data(), stored.size());
    break;
  case Precision::f32:
    convert<float>(values.data(), stored.data(), count,
                   [](double v) { return static_cast<float>(v); });
    break;
  case Precision::f16:
    convert<std::uint16_t>(values.data(), stored.data(), count, f16_bits);
    break;
  case Precision::bf16:
    convert<std::uint16_t>(values.data(), stored.data(), count, bf16_bits);
    break;
  }
  return stored;
}

std::vector<double> numbers_of_stored(const std::vector<std::byte> &stored, Precision p) {
  require(stored.size() % size_bytes(p) == 0, "whole numbers");
  const auto count = static_cast<std::int64_t>(stored.size() / size_bytes(p));
  std::vector<double> values(count);
  switch (p) {
  case Precision::f64:
    if (count > 0)
      std::memcpy(values.data(), stored.data(), stored.size());
    break;
  case Precision::f32:
    convert<float>(stored.data(), values.data(), count,
                   [](float v) { return static_cast<double>(v); });
    break;
  case Precision::f16:
    convert<std::uint16_t>(stored.data(), values.data(), count, f16_value);
    break;
  case Precision::bf16:
    convert<std::uint16_t>(stored.data(), values.data(), count, bf16_value);
    break;
  }
  return values;
}

} // namespace weft
