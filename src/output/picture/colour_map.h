// The colours of values.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace weft {

using Colour = std::array<std::uint8_t, 3>; // sRGB

// So many colours from dark violet over blue and green to light yellow, whose perceived lightness
// rises by equal steps, so that equal differences of a value look equal, in grey as well: a path
// through OKLab (Ottosson 2020), by formula.
std::vector<Colour> colour_map(int count);

} // namespace weft
