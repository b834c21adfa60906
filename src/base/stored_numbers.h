// Numbers on the host as devices store them, in each precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/precision.h"

namespace weft {

// To the bits of an f16 (IEEE binary16) or a bf16 (the upper half of an f32): rounded to nearest
// even, once, to infinity beyond the largest number; NaN stays NaN.
std::uint16_t f16_bits(double value);
std::uint16_t bf16_bits(double value);
// Exact.
double f16_value(std::uint16_t bits);
double bf16_value(std::uint16_t bits);

// 2^-53, 2^-24, 2^-11 or 2^-8: the largest relative error of rounding to a normal number.
double unit_roundoff(Precision p);
// The largest finite number: 65504 of f16.
double largest_number(Precision p);

// `values` in precision `p`, as device buffers hold them; and back.
std::vector<std::byte> stored_numbers(std::span<const double> values, Precision p);
std::vector<double> numbers_of_stored(const std::vector<std::byte> &stored, Precision p);

} // namespace weft
