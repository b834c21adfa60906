#include "base/printable.h"

#include <algorithm>
#include <fmt/format.h>

namespace weft {

namespace {

bool is_control(unsigned char c) {
  return c < 0x20 || c == 0x7f;
}

bool goes_on(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Length of the character of UTF-8 at the front of `rest`; 0 where it begins none. Overlong forms
// and surrogates are let through: they can't steer a terminal.
std::size_t character_length(std::string_view rest) {
  const auto first = static_cast<unsigned char>(rest.front());
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || rest.size() < length ||
      !std::all_of(rest.begin() + 1, rest.begin() + length, goes_on))
    return 0;
  return length;
}

// U+0080 to U+009F, among them a terminal's one-byte escapes.
bool is_wide_control(std::string_view character) {
  return character.size() == 2 && character[0] == '\xC2' &&
         static_cast<unsigned char>(character[1]) < 0xA0;
}

std::string escaped(std::string_view text, bool one_line) {
  std::string result;
  result.reserve(text.size());
  const auto escape = [&](char c) {
    result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::size_t length = std::max<std::size_t>(character_length(text.substr(at)), 1);
    const std::string_view character = text.substr(at, length);
    if (c == '\n' || c == '\t')
      result += !one_line ? std::string(1, c) : c == '\n' ? "\\n" : "\\t";
    else if (is_control(static_cast<unsigned char>(c)) || is_wide_control(character) ||
             (length == 1 && static_cast<unsigned char>(c) >= 0x80))
      std::for_each(character.begin(), character.end(), escape);
    else
      result += character;
    at += length;
  }
  return result;
}

} // namespace

std::string printable(std::string_view text) {
  return escaped(text, false);
}

std::string printable_line(std::string_view text) {
  return escaped(text, true);
}

std::string shortened(std::string_view text, std::size_t longest) {
  if (text.size() <= longest)
    return std::string(text);
  while (longest > 0 && goes_on(text[longest]))
    --longest;
  return std::string(text.substr(0, longest)) + " ...";
}

bool has_control_character(std::string_view text, bool multi_line) {
  return std::any_of(text.begin(), text.end(), [&](char c) {
    return is_control(static_cast<unsigned char>(c)) &&
           !(multi_line && (c == '\n' || c == '\r' || c == '\t'));
  });
}

} // namespace weft
