// The terminal behind standard error, where messages meet a line that is drawn again and again.
#pragma once

#include <cstdio>
#include <mutex>
#include <string>

namespace weft {

// Whether `stream` is a terminal that takes control sequences (not TERM=dumb).
bool is_terminal(std::FILE *stream);

enum class TextColour { red, yellow };
// The text in a colour where standard error is a terminal and NO_COLOR is not set
// (https://no-color.org), else as it is.
std::string coloured(TextColour colour, const std::string &text);

// Erases the drawn line; nothing else is drawn or said until what is returned ends, and who has it
// says nothing through base/log.h. Thread-safe.
[[nodiscard]] std::unique_lock<std::mutex> take_terminal();
// Draws a line in place of the last one. `stream` is a terminal.
void draw_line(std::FILE *stream, const std::string &text);

} // namespace weft
