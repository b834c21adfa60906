#include "base/stored_numbers.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "base/error.h"
#include "base/precision_name.h"

namespace weft {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Format {
  Precision precision;
  std::uint16_t (*bits)(double);
  double (*value)(std::uint16_t);
  int fraction_bits, lowest_exponent; // of a normal number
  std::uint16_t infinity_bits;
};
const Format formats[] = {{Precision::f16, f16_bits, f16_value, 10, -14, 0x7c00},
                          {Precision::bf16, bf16_bits, bf16_value, 7, -126, 0x7f80}};

// IEEE 754: (-1)^s 2^(e - bias) (1 + f/2^p), subnormal where the exponent field is 0.
double value_by_the_standard(const Format &format, int bits) {
  const double sign = bits >> 15 ? -1 : 1;
  const int fraction = bits & ((1 << format.fraction_bits) - 1);
  const int exponent = (bits & 0x7fff) >> format.fraction_bits;
  const double f = fraction * std::ldexp(1, -format.fraction_bits);
  if (exponent == format.infinity_bits >> format.fraction_bits)
    return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * infinity;
  return exponent == 0 ? sign * std::ldexp(f, format.lowest_exponent)
                       : sign * std::ldexp(1 + f, format.lowest_exponent + exponent - 1);
}

TEST(StoredNumbers, EveryPatternHasItsValueAndComesBack) {
  for (const Format &format : formats)
    for (int bits = 0; bits < 65536; ++bits) {
      const double expected = value_by_the_standard(format, bits);
      const double value = format.value(static_cast<std::uint16_t>(bits));
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(value)) << bits;
        ASSERT_TRUE(std::isnan(format.value(format.bits(value)))) << bits;
        continue;
      }
      ASSERT_EQ(value, expected) << bits;
      ASSERT_EQ(std::signbit(value), bits >> 15 == 1) << bits;
      ASSERT_EQ(format.bits(value), bits) << value;
    }
}

// Between two neighbours the middle goes to the even one and all else to the nearer.
TEST(StoredNumbers, RoundToNearestEven) {
  for (const Format &format : formats)
    for (std::uint16_t low = 0; low < format.infinity_bits; ++low) {
      const auto high = static_cast<std::uint16_t>(low + 1);
      // Infinity stands for the number that would follow the largest.
      const double above = high == format.infinity_bits
                               ? 2 * format.value(low) - format.value(low - 1)
                               : format.value(high);
      const double middle = (format.value(low) + above) / 2;
      ASSERT_EQ(format.bits(middle), low % 2 == 0 ? low : high) << low;
      ASSERT_EQ(format.bits(std::nextafter(middle, 0.0)), low) << low;
      ASSERT_EQ(format.bits(std::nextafter(middle, infinity)), high) << low;
      ASSERT_EQ(format.bits(-std::nextafter(middle, infinity)), 0x8000 | high) << low;
    }
}

TEST(StoredNumbers, OverflowToInfinity) {
  for (const Format &format : formats) {
    EXPECT_EQ(format.bits(largest_number(format.precision)), format.infinity_bits - 1);
    for (const double large : {1e39, 1e300, infinity}) {
      EXPECT_EQ(format.bits(large), format.infinity_bits);
      EXPECT_EQ(format.bits(-large), 0x8000 | format.infinity_bits);
    }
    for (const double small : {1e-300, std::numeric_limits<double>::denorm_min(), 0.0})
      EXPECT_EQ(format.bits(small), 0);
  }
  EXPECT_EQ(largest_number(Precision::f16), 65504);
}

TEST(StoredNumbers, ArraysOfEveryPrecision) {
  std::vector<double> values(1001);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(0.1 + static_cast<double>(i)); // none is 0
  for (const Precision p : {Precision::f64, Precision::f32, Precision::f16, Precision::bf16}) {
    const std::vector<std::byte> stored = stored_numbers(values, p);
    EXPECT_EQ(stored.size(), values.size() * size_bytes(p));
    const std::vector<double> back = numbers_of_stored(stored, p);
    ASSERT_EQ(back.size(), values.size());
    double largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      largest = std::max(largest, std::abs(back[i] - values[i]) / std::abs(values[i]));
    EXPECT_LE(largest, unit_roundoff(p)) << to_string(p);
    EXPECT_EQ(largest > unit_roundoff(p) / 2, p != Precision::f64) << to_string(p);
    EXPECT_EQ(numbers_of_stored(stored_numbers(back, p), p), back);
    EXPECT_EQ(precision_from_name(to_string(p)), p);
  }
  EXPECT_TRUE(stored_numbers({}, Precision::f16).empty());
  EXPECT_THROW(precision_from_name("f8"), Error);
}

} // namespace
} // namespace weft
