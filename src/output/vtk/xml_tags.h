// The tags of an XML file, one after the other: as much of XML as the heads of VTK's files need.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

struct XmlTag {
  std::string name; // "/Piece" where it closes
  std::map<std::string, std::string> attributes;
  std::size_t end = 0; // behind it in the text

  // Empty where there is none.
  std::string attribute(const std::string &key) const;
};

// The first tag at or behind `from`; declarations and comments are tags, too. Nothing where there
// is none, or it is not closed.
std::optional<XmlTag> next_xml_tag(std::string_view text, std::size_t from);

} // namespace weft
