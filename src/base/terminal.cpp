#include "base/terminal.h"

#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

namespace weft {

namespace {

constexpr const char *erase_line = "\r\x1b[K"; // to the end of the line

std::mutex turns;
std::FILE *drawn_on = nullptr; // where a line is drawn

bool is_set(const char *variable) {
  const char *value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

} // namespace

bool is_terminal(std::FILE *stream) {
  const char *kind = std::getenv("TERM");
  return isatty(fileno(stream)) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

std::string coloured(TextColour colour, const std::string &text) {
  static const bool colours = is_terminal(stderr) && !is_set("NO_COLOR");
  return colours ? fmt::format("\x1b[{}m{}\x1b[0m", colour == TextColour::red ? "1;31" : "33", text)
                 : text;
}

std::unique_lock<std::mutex> take_terminal() {
  std::unique_lock turn(turns);
  if (drawn_on != nullptr) {
    std::fputs(erase_line, drawn_on);
    std::fflush(drawn_on);
    drawn_on = nullptr;
  }
  return turn;
}

void draw_line(std::FILE *stream, const std::string &text) {
  const auto turn = take_terminal();
  std::fputs(text.c_str(), stream);
  std::fflush(stream);
  drawn_on = stream;
}

} // namespace weft
