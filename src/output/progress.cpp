#include "output/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <fmt/format.h>

#include "base/log.h"
#include "base/terminal.h"

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
  if (fraction < 0)
    return fmt::format("{}  {} elapsed", stage, clock_text(elapsed_s));
  fraction = std::min(fraction, 1.0);
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
      quiet_(log::level() == log::Level::quiet), terminal_(is_terminal(stream)) {}

Progress::~Progress() {
  drawer_ = {}; // waits for its end
  make_way();
}

void Progress::make_way() {
  if (terminal_)
    const auto turn = take_terminal();
}

void Progress::update(double fraction, double work, const std::string &note) {
  {
    const std::lock_guard lock(mutex_);
    fraction_ = std::max(fraction_, fraction);
    work_ = work;
    note_ = note;
  }
  draw();
}

void Progress::keep_drawing(std::function<std::string()> what_else) {
  if (quiet_)
    return;
  what_else_ = std::move(what_else);
  drawer_ = std::jthread([this](const std::stop_token &end) { draw_now_and_then(end); });
}

void Progress::draw_now_and_then(const std::stop_token &end) {
  std::mutex waiting;
  std::condition_variable_any ended;
  std::unique_lock lock(waiting);
  while (!ended.wait_for(lock, end, std::chrono::milliseconds(100),
                         [&] { return end.stop_requested(); }))
    draw();
}

void Progress::draw() {
  const std::lock_guard lock(mutex_);
  const double now = timer_.seconds();
  const double interval = terminal_ ? 0.1 : 5;
  if (quiet_ || now - last_s_ < interval)
    return;
  if (work_ > last_work_) { // else nothing was done since
    rate_ = (work_ - last_work_) / (now - last_work_s_);
    last_work_ = work_;
    last_work_s_ = now;
  }
  std::string line = progress_line(stage_, fraction_, now, rate_, unit_);
  for (const std::string &more : {note_, what_else_ ? what_else_() : std::string()})
    if (!more.empty())
      line += ", " + more;
  if (terminal_)
    draw_line(stream_, line);
  else
    fmt::print(stream_, "{}\n", line);
  std::fflush(stream_);
  last_s_ = now;
}

} // namespace weft
