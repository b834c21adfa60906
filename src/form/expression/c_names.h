// Names in C text.
#pragma once

#include <string>
#include <vector>

namespace weft {

// The words of C text that could be names, each once; comments and literals are left out.
std::vector<std::string> names_in_c_text(const std::string &text);

} // namespace weft
