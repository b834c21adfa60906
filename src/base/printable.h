// Text of users' files, made fit for a message: nothing in it cuts the message or steers a
// terminal.
#pragma once

#include <string>
#include <string_view>

namespace weft {

// Control characters, but line feeds and tabs, and bytes that are no UTF-8 become \x00 and so on.
std::string printable(std::string_view text);

// The same on one line, line feeds and tabs as \n and \t: for names and places.
std::string printable_line(std::string_view text);

// The beginning of a text that is longer than `longest` bytes, with " ...", whole characters.
std::string shortened(std::string_view text, std::size_t longest);

// The text has a control character; `multi_line`: line feeds, carriage returns and tabs are none.
bool has_control_character(std::string_view text, bool multi_line);

} // namespace weft
