#include "output/report/page_template.h"

#include "base/embedded.h"
#include "base/error.h"

namespace weft {

std::string filled_template(const std::string &name,
                            const std::map<std::string, std::string> &texts) {
  const std::string text = embedded_text("src/output/report/" + name);
  std::string result;
  for (std::size_t at = 0;;) {
    const std::size_t begin = text.find("{{", at), end = text.find("}}", begin);
    result += text.substr(at, begin - at);
    if (begin == std::string::npos)
      return result;
    const auto found = texts.find(text.substr(begin + 2, end - begin - 2));
    require(found != texts.end(), "a template's key has a text");
    result += found->second;
    at = end + 2;
  }
}

std::string json_in_script(const std::string &json) {
  std::string result;
  result.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  return result;
}

} // namespace weft
