// What works on which cell type and device: the table of the README.
#pragma once

#include <string>

namespace weft {

// Markdown, found by asking the elements and the kernel printer what they do; a test compares it
// with the README (`weft reference --support` prints it).
std::string support_table_markdown();

} // namespace weft
