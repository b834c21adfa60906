// Messages to the user's terminal: notices (something was decided for the user), info, debug.
#pragma once

#include <fmt/format.h>
#include <string_view>

namespace weft::log {

enum class Level { quiet, normal, verbose };

void set_level(Level level);
Level level();

// What the user should know though nothing is wrong (a group dropped, cells flipped): not with -q.
void notice(std::string_view text);
// Progress and summary lines: not with -q.
void info(std::string_view text);
// Only with -v.
void debug(std::string_view text);

template <typename... Args> void notice(fmt::format_string<Args...> f, Args &&...args) {
  notice(std::string_view(fmt::format(f, std::forward<Args>(args)...)));
}
template <typename... Args> void info(fmt::format_string<Args...> f, Args &&...args) {
  info(std::string_view(fmt::format(f, std::forward<Args>(args)...)));
}
template <typename... Args> void debug(fmt::format_string<Args...> f, Args &&...args) {
  debug(std::string_view(fmt::format(f, std::forward<Args>(args)...)));
}

} // namespace weft::log
