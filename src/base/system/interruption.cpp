#include "base/system/interruption.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

namespace weft {

namespace {

// Fraction of the longest time between looks that is kept with each further one: a compilation at
// the start is forgotten after some dozens.
constexpr double remembered = 0.9;

std::atomic<int> asked_by = 0;
std::atomic<bool> seen = false;
std::atomic<double> last_look_s = -1, longest_s = 0;
static_assert(std::atomic<int>::is_always_lock_free, "signal handlers may use it");

double now_s() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void note_look() noexcept {
  const double now = now_s(), last = last_look_s.exchange(now, std::memory_order_relaxed);
  if (last >= 0)
    longest_s.store(std::max(now - last, remembered * longest_s.load(std::memory_order_relaxed)),
                    std::memory_order_relaxed);
}

} // namespace

void request_interruption(int signal) noexcept {
  int none = 0;
  asked_by.compare_exchange_strong(none, signal);
}

void withdraw_interruption() noexcept {
  asked_by = 0;
  seen = false;
  last_look_s = -1;
  longest_s = 0;
}

int interruption() noexcept {
  return asked_by.load(std::memory_order_relaxed);
}

bool interrupted() noexcept {
  if (interruption() == 0) {
    note_look();
    return false;
  }
  seen = true;
  return true;
}

void throw_if_interrupted() {
  if (interrupted())
    throw Interrupted{interruption()};
}

std::string Interrupted::what() const {
  const char *name = sigabbrev_np(signal);
  return std::string("interrupted by ") + (name ? std::string("SIG") + name : "a signal");
}

Looks looks_at_interruption() noexcept {
  return {.seen = seen, .longest_s = longest_s};
}

} // namespace weft
