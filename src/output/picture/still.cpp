#include "output/picture/still.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "output/picture/colour_map.h"

namespace weft {

namespace {

using PicturePoint = std::array<double, 3>;

constexpr int samples = 2; // a pixel's side, in points that are drawn
// The page's first view (page.js, first_view): turned about z, then tilted towards the reader.
constexpr double turn = -0.6, tilt = 1.05; // radians
constexpr Colour no_value_colour = {150, 150, 150};

PicturePoint cross(const PicturePoint &a, const PicturePoint &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// On the screen: x to the right, y upwards, z towards the reader.
PicturePoint seen(const PicturePoint &x, bool flat) {
  if (flat)
    return x;
  const double c = std::cos(turn), s = std::sin(turn);
  const PicturePoint turned = {c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]};
  const double ct = std::cos(tilt), st = std::sin(tilt);
  return {turned[0], ct * turned[1] + st * turned[2], -st * turned[1] + ct * turned[2]};
}

// The vertices of the surface on the screen, in its units, and what each is coloured by.
struct Scene {
  std::vector<PicturePoint> places; // x, y within [0, columns], [0, rows]; z
  std::vector<double> values;
  ValueRange range;
};

std::vector<double> magnitudes(const Picture &picture, std::size_t field) {
  const PictureSheet &surface = picture.sheets.front();
  const PictureField &drawn = picture.fields[field];
  const std::size_t last = picture.times.size() - 1;
  std::vector<double> values(surface.num_vertices());
  for (std::size_t v = 0; v < values.size(); ++v) {
    double sum = 0;
    for (int k = 0; k < drawn.components; ++k) {
      const double value =
          value_of(surface.values[picture.column(last, field, k)][v], drawn.ranges[k]);
      sum = drawn.components == 1 ? value : sum + value * value;
    }
    values[v] = drawn.components == 1 ? sum : std::sqrt(sum);
  }
  return values;
}

Scene make_scene(const Picture &picture, std::size_t field, int columns, int rows) {
  const PictureSheet &surface = picture.sheets.front();
  Scene scene;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  PicturePoint least = {infinity, infinity, infinity}, most = {-infinity, -infinity, -infinity};
  for (std::size_t v = 0; v < surface.num_vertices(); ++v) {
    PicturePoint x{};
    for (int d = 0; d < 3; ++d)
      x[d] = value_of(surface.places[d][v], picture.box[d]);
    x = seen(x, picture.dim == 2);
    for (int d = 0; d < 3; ++d) {
      least[d] = std::min(least[d], x[d]);
      most[d] = std::max(most[d], x[d]);
    }
    scene.places.push_back(x);
  }
  const double scale = 0.94 * std::min(columns / std::max(most[0] - least[0], 1e-300),
                                       rows / std::max(most[1] - least[1], 1e-300));
  for (PicturePoint &x : scene.places)
    x = {columns / 2.0 + scale * (x[0] - (least[0] + most[0]) / 2),
         rows / 2.0 - scale * (x[1] - (least[1] + most[1]) / 2), scale * x[2]};
  scene.values = magnitudes(picture, field);
  scene.range = {infinity, -infinity};
  for (const double value : scene.values)
    if (std::isfinite(value)) {
      scene.range.least = std::min(scene.range.least, value);
      scene.range.most = std::max(scene.range.most, value);
    }
  return scene;
}

// Points of the screen with the nearest surface found so far.
class Screen {
public:
  Screen(int columns, int rows)
      : columns_(columns), rows_(rows),
        depth_(static_cast<std::size_t>(columns) * rows, -std::numeric_limits<double>::infinity()),
        colours_(depth_.size()) {}

  void draw(const Scene &scene, const std::array<std::uint32_t, 3> &triangle,
            const std::vector<Colour> &map, bool lit) {
    const PicturePoint &a = scene.places[triangle[0]], &b = scene.places[triangle[1]],
                       &c = scene.places[triangle[2]];
    const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (area == 0)
      return;
    const double light = lit ? brightness(a, b, c) : 1;
    const auto [left, right] = std::minmax({a[0], b[0], c[0]});
    const auto [top, bottom] = std::minmax({a[1], b[1], c[1]});
    for (int row = std::max(0, static_cast<int>(top));
         row <= std::min<int>(rows_ - 1, static_cast<int>(bottom)); ++row)
      for (int column = std::max(0, static_cast<int>(left));
           column <= std::min<int>(columns_ - 1, static_cast<int>(right)); ++column) {
        const double x = column + 0.5, y = row + 0.5;
        const double wb = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area;
        const double wc = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area;
        const double wa = 1 - wb - wc;
        if (wa < 0 || wb < 0 || wc < 0)
          continue;
        const std::size_t at = static_cast<std::size_t>(row) * columns_ + column;
        const double z = wa * a[2] + wb * b[2] + wc * c[2];
        if (z <= depth_[at])
          continue;
        depth_[at] = z;
        colours_[at] =
            shaded(colour_of(wa * scene.values[triangle[0]] + wb * scene.values[triangle[1]] +
                                 wc * scene.values[triangle[2]],
                             scene.range, map),
                   light);
      }
  }

  // Means over the points of each pixel; what nothing was drawn at is transparent.
  std::vector<std::uint8_t> pixels() const {
    std::vector<std::uint8_t> result;
    for (int row = 0; row < rows_; row += samples)
      for (int column = 0; column < columns_; column += samples) {
        std::array<int, 3> sum{};
        int hits = 0;
        for (int i = 0; i < samples * samples; ++i) {
          const std::size_t at =
              static_cast<std::size_t>(row + i / samples) * columns_ + column + i % samples;
          if (std::isinf(depth_[at]))
            continue;
          ++hits;
          for (int k = 0; k < 3; ++k)
            sum[k] += colours_[at][k];
        }
        for (int k = 0; k < 3; ++k)
          result.push_back(static_cast<std::uint8_t>(hits > 0 ? sum[k] / hits : 0));
        result.push_back(static_cast<std::uint8_t>(255 * hits / (samples * samples)));
      }
    return result;
  }

private:
  // From the reader's place, both sides alike.
  static double brightness(const PicturePoint &a, const PicturePoint &b, const PicturePoint &c) {
    const PicturePoint n =
        cross({b[0] - a[0], b[1] - a[1], b[2] - a[2]}, {c[0] - a[0], c[1] - a[1], c[2] - a[2]});
    const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    return length > 0 ? 0.7 + 0.3 * std::abs(n[2]) / length : 1;
  }
  static Colour colour_of(double value, const ValueRange &range, const std::vector<Colour> &map) {
    if (!std::isfinite(value))
      return no_value_colour;
    const double span = range.most - range.least;
    const double fraction = span > 0 ? (value - range.least) / span : 0.5;
    return map[std::min(map.size() - 1, static_cast<std::size_t>(std::max(0.0, fraction) *
                                                                 static_cast<double>(map.size())))];
  }
  static Colour shaded(const Colour &colour, double light) {
    Colour result{};
    for (int k = 0; k < 3; ++k)
      result[k] = static_cast<std::uint8_t>(colour[k] * light);
    return result;
  }

  int columns_, rows_;
  std::vector<double> depth_;
  std::vector<Colour> colours_;
};

} // namespace

Still draw_still(const Picture &picture, std::size_t field, int width, int height) {
  const Scene scene = make_scene(picture, field, samples * width, samples * height);
  Screen screen(samples * width, samples * height);
  const std::vector<Colour> map = colour_map(256);
  for (const auto &triangle : picture.sheets.front().triangles)
    screen.draw(scene, triangle, map, picture.dim == 3);
  return {screen.pixels(), scene.range};
}

} // namespace weft
