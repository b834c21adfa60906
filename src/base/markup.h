// Text put into XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace weft {

// With &, <, >, " and ' as references; bytes that are no UTF-8 and control characters, which XML
// has no place for, become \x00 and so on (printable()). Fit for content and for quoted attributes.
std::string markup_text(std::string_view text);

} // namespace weft
