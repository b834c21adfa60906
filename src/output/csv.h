// Fields of CSV files.
#pragma once

#include <string>

namespace weft {

// The text, quoted where it must be (RFC 4180).
std::string csv_field(const std::string &text);

} // namespace weft
