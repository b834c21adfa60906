#include "output/vtk/xml_tags.h"

namespace weft {

namespace {

constexpr std::string_view spaces = " \t\r\n";

std::string without_references(std::string_view text) {
  constexpr std::pair<std::string_view, char> references[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 1;
    char c = text[at];
    for (const auto &[reference, character] : references)
      if (text.substr(at).starts_with(reference)) {
        c = character;
        length = reference.size();
      }
    result += c;
    at += length;
  }
  return result;
}

// NAME="VALUE" pairs.
std::map<std::string, std::string> read_attributes(std::string_view text) {
  std::map<std::string, std::string> attributes;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(spaces, at)) != std::string_view::npos) {
    const std::size_t equals = text.find("=\"", at);
    if (equals == std::string_view::npos)
      break;
    const std::size_t end = text.find('"', equals + 2);
    if (end == std::string_view::npos)
      break;
    attributes[std::string(text.substr(at, equals - at))] =
        without_references(text.substr(equals + 2, end - equals - 2));
    at = end + 1;
  }
  return attributes;
}

} // namespace

std::string XmlTag::attribute(const std::string &key) const {
  const auto found = attributes.find(key);
  return found == attributes.end() ? std::string() : found->second;
}

std::optional<XmlTag> next_xml_tag(std::string_view text, std::size_t from) {
  const std::size_t begin = text.find('<', from);
  if (begin == std::string_view::npos)
    return {};
  const std::size_t close = text.find('>', begin);
  if (close == std::string_view::npos)
    return {};
  const std::string_view inside = text.substr(begin + 1, close - begin - 1);
  const std::size_t name_end = inside.find_first_of(" \t\r\n");
  XmlTag tag{.name = std::string(inside.substr(0, name_end)), .attributes = {}, .end = close + 1};
  if (name_end != std::string_view::npos)
    tag.attributes = read_attributes(inside.substr(name_end));
  return tag;
}

} // namespace weft
