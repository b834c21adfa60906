#include "output/progress.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unistd.h>

#include "base/log.h"

namespace weft {

namespace {

std::string clock_text(double seconds) {
  const auto whole = static_cast<long long>(std::lround(seconds));
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

} // namespace

std::string progress_line(const std::string &stage, double fraction, double elapsed_s, double rate,
                          const std::string &unit) {
  constexpr int width = 20;
  fraction = std::clamp(fraction, 0.0, 1.0);
  std::string line = fmt::format("{} [{:<{}}] {:3.0f}%  {} elapsed", stage,
                                 std::string(std::lround(fraction * width), '#'), width,
                                 100 * fraction, clock_text(elapsed_s));
  // Before the first percent an estimate would only jump about.
  if (fraction >= 0.01)
    line += fmt::format(", {} left", clock_text(elapsed_s * (1 - fraction) / fraction));
  if (rate > 0)
    line += fmt::format(", {:.1f} M{}/s", rate * 1e-6, unit);
  return line;
}

double fraction_of_residual(double relative_residual, double tolerance) {
  if (!(relative_residual < 1) || !(tolerance < 1))
    return 0;
  return std::clamp(std::log(relative_residual) / std::log(tolerance), 0.0, 1.0);
}

Progress::Progress(std::string stage, std::string unit, std::FILE *stream)
    : stage_(std::move(stage)), unit_(std::move(unit)), stream_(stream),
      quiet_(log::level() == log::Level::quiet), terminal_(isatty(fileno(stream)) != 0) {}

Progress::~Progress() {
  make_way();
}

void Progress::make_way() {
  if (!drawn_ || !terminal_)
    return;
  std::fputs("\r\x1b[K", stream_); // erase to the end of the line
  std::fflush(stream_);
  drawn_ = false;
}

void Progress::update(double fraction, double work, const std::string &note) {
  fraction_ = std::max(fraction_, fraction);
  const double now = timer_.seconds();
  const double interval = terminal_ ? 0.1 : 5;
  if (quiet_ || now - last_s_ < interval)
    return;
  const double rate = (work - last_work_) / (now - last_s_);
  std::string line = progress_line(stage_, fraction_, now, rate, unit_);
  if (!note.empty())
    line += ", " + note;
  fmt::print(stream_, "{}", terminal_ ? "\r" + line + "\x1b[K" : line + "\n");
  std::fflush(stream_);
  last_s_ = now;
  last_work_ = work;
  drawn_ = true;
}

} // namespace weft
