// PNG files of colours with transparency.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

// The bytes of a file of 8-bit RGBA pixels, [row][column][channel], rows from the top.
std::string png_of(int width, int height, const std::vector<std::uint8_t> &pixels);

} // namespace weft
