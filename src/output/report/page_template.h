// The page's texts with their places filled in.
#pragma once

#include <map>
#include <string>

namespace weft {

// The embedded text src/output/report/NAME with `{{key}}` replaced by the text for it, once: what
// was put in is not looked at again. Each key has a text, which is markup already.
std::string filled_template(const std::string &name,
                            const std::map<std::string, std::string> &texts);

// JSON that stands in a <script> element: nothing in it ends the element.
std::string json_in_script(const std::string &json);

} // namespace weft
