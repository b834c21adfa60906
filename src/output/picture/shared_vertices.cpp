#include "output/picture/shared_vertices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <unordered_map>

namespace weft {

namespace {

std::size_t bytes_of(const Picture &picture) {
  std::size_t bytes = 0;
  for (const PictureSheet &sheet : picture.sheets)
    bytes += sheet.num_vertices() * (6 + 2 * sheet.values.size()) + sheet.triangles.size() * 4;
  return bytes;
}

// All integers of a vertex, as a key.
std::string whole_key(const PictureSheet &sheet, std::size_t vertex) {
  std::string key;
  const auto add = [&](const std::vector<std::uint16_t> &column) {
    key.append(reinterpret_cast<const char *>(&column[vertex]), sizeof column[vertex]);
  };
  for (const auto &places : sheet.places)
    add(places);
  for (const auto &values : sheet.values)
    add(values);
  return key;
}

// The box of a lattice with cubes of so many integers a side that a vertex lies in. The integers of
// the directions are parts of sides of different lengths.
std::string lattice_key(const PictureSheet &sheet, std::size_t vertex,
                        const std::array<double, 3> &cube) {
  std::string key;
  for (int d = 0; d < 3; ++d) {
    const auto box = static_cast<std::uint16_t>(sheet.places[d][vertex] / cube[d]);
    key.append(reinterpret_cast<const char *>(&box), sizeof box);
  }
  return key;
}

std::vector<std::uint16_t> picked(const std::vector<std::uint16_t> &column,
                                  const std::vector<std::uint32_t> &vertices) {
  std::vector<std::uint16_t> result;
  result.reserve(vertices.size());
  for (const std::uint32_t vertex : vertices)
    result.push_back(column[vertex]);
  return result;
}

template <typename Key>
PictureSheet with_vertices_by(const PictureSheet &sheet, const Key &key_of) {
  PictureSheet result{.name = sheet.name, .axis = sheet.axis, .places = {}};
  std::unordered_map<std::string, std::uint32_t> first; // by key, the first vertex with it
  std::vector<std::uint32_t> same(sheet.num_vertices());
  for (std::size_t v = 0; v < same.size(); ++v)
    same[v] = first.emplace(key_of(sheet, v), static_cast<std::uint32_t>(v)).first->second;
  std::vector<std::uint32_t> number(sheet.num_vertices(), UINT32_MAX), kept;
  for (std::size_t t = 0; t < sheet.triangles.size(); ++t) {
    std::array<std::uint32_t, 3> corners = sheet.triangles[t];
    for (std::uint32_t &corner : corners)
      corner = same[corner];
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
      continue;
    for (std::uint32_t &corner : corners) {
      if (number[corner] == UINT32_MAX) {
        number[corner] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(corner);
      }
      corner = number[corner];
    }
    result.triangles.push_back(corners);
    result.outlines.push_back(sheet.outlines[t]);
  }
  for (int d = 0; d < 3; ++d)
    result.places[d] = picked(sheet.places[d], kept);
  for (const auto &values : sheet.values)
    result.values.push_back(picked(values, kept));
  return result;
}

// The picture on a lattice that divides the longest side of its box.
Picture thinned_by(const Picture &picture, double divisions) {
  double longest = 0;
  for (const ValueRange &side : picture.box)
    longest = std::max(longest, side.most - side.least);
  std::array<double, 3> cube{};
  for (int d = 0; d < 3; ++d) {
    const double side = picture.box[d].most - picture.box[d].least;
    cube[d] = side > 0 ? 65535.0 / divisions * longest / side : 65536.0;
  }
  Picture result = picture;
  result.thinned = true;
  for (PictureSheet &sheet : result.sheets)
    sheet = with_vertices_by(sheet, [&](const PictureSheet &s, std::size_t vertex) {
      return lattice_key(s, vertex, cube);
    });
  return result;
}

} // namespace

void share_vertices(Picture &picture, std::size_t max_bytes) {
  for (PictureSheet &sheet : picture.sheets)
    sheet = with_vertices_by(sheet, whole_key);
  if (bytes_of(picture) <= max_bytes)
    return;
  // Vertices of sheets grow by the square of the divisions.
  double divisions = 1000;
  Picture thinned = thinned_by(picture, divisions);
  while (bytes_of(thinned) > max_bytes && divisions > 20) {
    divisions *=
        0.95 * std::sqrt(static_cast<double>(max_bytes) / static_cast<double>(bytes_of(thinned)));
    thinned = thinned_by(picture, divisions);
  }
  picture = std::move(thinned);
}

} // namespace weft
