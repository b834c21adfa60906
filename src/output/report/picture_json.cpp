#include "output/report/picture_json.h"

#include <algorithm>

#include "output/picture/colour_map.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

constexpr int num_colours = 128;

std::string integers_text(const std::vector<std::uint16_t> &integers) {
  std::string bytes;
  for (const std::uint16_t integer : integers) {
    bytes += static_cast<char>(integer & 0xff);
    bytes += static_cast<char>(integer >> 8);
  }
  return base64(bytes);
}

std::string triangles_text(const std::vector<std::array<std::uint32_t, 3>> &triangles) {
  std::string bytes;
  std::uint32_t next = 0;
  for (const auto &triangle : triangles)
    for (const std::uint32_t corner : triangle) {
      std::uint32_t back = next - corner;
      if (back == 0)
        ++next;
      for (; back >= 128; back >>= 7)
        bytes += static_cast<char>((back & 127) | 128);
      bytes += static_cast<char>(back);
    }
  return base64(bytes);
}

Json columns_json(const std::vector<std::vector<std::uint16_t>> &columns) {
  Json result = Json::array();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto same =
        std::find(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(i), columns[i]);
    const auto first = static_cast<std::size_t>(same - columns.begin());
    result.push_back(first < i ? Json(first) : Json(integers_text(columns[i])));
  }
  return result;
}

Json sheet_json(const PictureSheet &sheet) {
  constexpr std::uint8_t all_sides = 7;
  const bool all = std::all_of(sheet.outlines.begin(), sheet.outlines.end(),
                               [](std::uint8_t outline) { return outline == all_sides; });
  Json json = {{"name", sheet.name}, {"axis", sheet.axis}, {"places", Json::array()}};
  for (const auto &places : sheet.places)
    json["places"].push_back(integers_text(places));
  json["values"] = columns_json(sheet.values);
  json["triangles"] = triangles_text(sheet.triangles);
  json["outlines"] = all ? Json() : Json(base64({sheet.outlines.begin(), sheet.outlines.end()}));
  return json;
}

Json range_json(const ValueRange &range) {
  return {range.least, range.most};
}

} // namespace

std::string base64(const std::string &bytes) {
  constexpr const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (int k = 3; k >= 0; --k)
      text += digits[word >> 6 * k & 63];
  }
  for (std::size_t k = 0; k < (3 - bytes.size() % 3) % 3; ++k)
    text[text.size() - 1 - k] = '=';
  return text;
}

Json picture_json(const Picture &picture, const std::string &time_name) {
  Json json = {{"dim", picture.dim}, {"timeName", time_name}, {"times", picture.times}};
  for (const ValueRange &side : picture.box)
    json["box"].push_back(range_json(side));
  for (const Colour &colour : colour_map(num_colours))
    json["colours"].push_back(colour);
  json["fields"] = Json::array();
  for (const PictureField &field : picture.fields) {
    Json &entry = json["fields"].emplace_back(
        Json{{"name", field.name}, {"components", field.components}, {"ranges", Json::array()}});
    for (const ValueRange &range : field.ranges)
      entry["ranges"].push_back(range_json(range));
  }
  json["sheets"] = Json::array();
  for (const PictureSheet &sheet : picture.sheets)
    json["sheets"].push_back(sheet_json(sheet));
  return json;
}

} // namespace weft
