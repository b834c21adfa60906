#include "output/picture/colour_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft {

namespace {

using Rgb = std::array<double, 3>; // linear sRGB

// Ottosson 2020.
Rgb linear_rgb(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue), b = chroma * std::sin(hue);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

// The transfer function of sRGB (IEC 61966-2-1).
std::uint8_t encoded(double linear) {
  const double c = std::clamp(linear, 0.0, 1.0);
  const double value = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * value));
}

} // namespace

std::vector<Colour> colour_map(int count) {
  constexpr double degree = std::numbers::pi / 180;
  std::vector<Colour> colours;
  for (int i = 0; i < count; ++i) {
    const double x = count > 1 ? static_cast<double>(i) / (count - 1) : 0;
    const double lightness = 0.33 + 0.6 * x, hue = (310 - 205 * x) * degree;
    // A smooth curve below the most that a screen shows of each lightness and hue, which is least
    // for the blue-green in the middle.
    const double chroma = 0.104 + 0.06 * std::pow(2 * x - 0.95, 2);
    const Rgb rgb = linear_rgb(lightness, chroma, hue);
    colours.push_back({encoded(rgb[0]), encoded(rgb[1]), encoded(rgb[2])});
  }
  return colours;
}

} // namespace weft
