#include "device/wait_watch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <unistd.h>
#include <utility>

namespace weft {

namespace {

constexpr std::int64_t nobody = 0, is_overdue = -1;

// When the wait began that is going on, in nanoseconds of a steady clock; or one of the above.
std::atomic<std::int64_t> wait_began = nobody;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

} // namespace

DeviceWait::DeviceWait() {
  std::int64_t expected = nobody;
  outermost_ = wait_began.compare_exchange_strong(expected, now_ns());
}

DeviceWait::~DeviceWait() {
  if (outermost_) {
    std::int64_t began = wait_began;
    if (began != is_overdue && wait_began.compare_exchange_strong(began, nobody))
      return;
  }
  while (wait_began == is_overdue)
    pause();
}

WaitWatch::WaitWatch(double limit_s, std::function<void()> overdue)
    : limit_s_(limit_s), overdue_(std::move(overdue)), thread_([this] { watch(); }) {}

WaitWatch::~WaitWatch() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

void WaitWatch::watch() {
  // Often enough for the limit to mean what it says, rarely enough to cost nothing.
  const auto period = std::chrono::duration<double>(std::clamp(limit_s_ / 20, 0.01, 1.0));
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, period, [this] { return ended_; })) {
    std::int64_t began = wait_began;
    if (began <= nobody || static_cast<double>(now_ns() - began) * 1e-9 < limit_s_)
      continue;
    if (wait_began.compare_exchange_strong(began, is_overdue)) {
      overdue_();
      return;
    }
  }
}

} // namespace weft
