#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "base/kept_notices.h"
#include "base/printable.h"
#include "base/terminal.h"

namespace weft::log {

namespace {

// Messages go to standard error, so that standard output stays what a program can read.
spdlog::logger &logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto created = spdlog::stderr_color_mt("weft");
    created->set_pattern("%v");
    return created;
  }();
  return *instance;
}

Level current_level = Level::normal;

} // namespace

void set_level(Level level) {
  current_level = level;
  logger().set_level(level == Level::verbose  ? spdlog::level::debug
                     : level == Level::normal ? spdlog::level::info
                                              : spdlog::level::err);
}

Level level() {
  return current_level;
}

void notice(std::string_view text) {
  keep_notice(text);
  const auto turn = take_terminal();
  logger().warn("{} {}", coloured(TextColour::yellow, "notice:"), printable(text));
}
void info(std::string_view text) {
  const auto turn = take_terminal();
  logger().info("{}", printable(text));
}
void debug(std::string_view text) {
  const auto turn = take_terminal();
  logger().debug("{}", printable(text));
}

} // namespace weft::log
