// Source: Portable Network Graphics (PNG) Specification, ISO/IEC 15948:2004.
#include "output/picture/png.h"

#include <string_view>
#include <zlib.h>

#include "base/error.h"

namespace weft {

namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string chunk(const std::string &type, const std::string &data) {
  const std::string checked = type + data;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef *>(checked.data()), static_cast<uInt>(checked.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + checked +
         big_endian(static_cast<std::uint32_t>(sum));
}

std::string deflated(const std::string &bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef *>(result.data()), &size,
                               reinterpret_cast<const Bytef *>(bytes.data()), bytes.size(), 9);
  require(status == Z_OK, "zlib packs what fits into its bound");
  result.resize(size);
  return result;
}

} // namespace

std::string png_of(int width, int height, const std::vector<std::uint8_t> &pixels) {
  const std::size_t row_bytes = 4 * static_cast<std::size_t>(width);
  require(pixels.size() == row_bytes * height, "a picture has four channels a pixel");
  std::string rows;
  for (int row = 0; row < height; ++row) {
    rows += '\x02'; // each byte less the one above it
    for (std::size_t i = 0; i < row_bytes; ++i) {
      const std::size_t at = row * row_bytes + i;
      rows += static_cast<char>(pixels[at] - (row > 0 ? pixels[at - row_bytes] : 0));
    }
  }
  const std::string header =
      big_endian(width) + big_endian(height) + std::string("\x08\x06\0\0\0", 5);
  return std::string("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", header) +
         chunk("IDAT", deflated(rows)) + chunk("IEND", "");
}

} // namespace weft
