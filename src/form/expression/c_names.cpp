#include "form/expression/c_names.h"

#include <algorithm>
#include <cctype>

namespace weft {

namespace {

// Where a comment or a literal that begins at `at` ends; `at` itself where none begins.
std::size_t end_of_skipped(const std::string &text, std::size_t at) {
  const auto after = [&](const char *mark, std::size_t from) {
    const std::size_t found = text.find(mark, from);
    return found == std::string::npos ? text.size() : found + std::string(mark).size();
  };
  if (text.compare(at, 2, "//") == 0)
    return after("\n", at);
  if (text.compare(at, 2, "/*") == 0)
    return after("*/", at + 2);
  if (text[at] == '"' || text[at] == '\'') {
    const char quote = text[at++];
    while (at < text.size() && text[at] != quote)
      at += text[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text.size());
  }
  if (!std::isdigit(static_cast<unsigned char>(text[at])))
    return at;
  while (at < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '.'))
    ++at; // 1e5f, 0x1p3: no names
  return at;
}

} // namespace

std::vector<std::string> names_in_c_text(const std::string &text) {
  const auto in_name = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t skipped = end_of_skipped(text, at);
    std::size_t end = skipped;
    if (skipped == at) {
      while (end < text.size() && in_name(static_cast<unsigned char>(text[end])))
        ++end;
      const std::string name = text.substr(at, end - at);
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
      end = std::max(end, at + 1);
    }
    at = end;
  }
  return names;
}

} // namespace weft
