#include "app/signals.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <poll.h>
#include <thread>
#include <time.h>
#include <unistd.h>

#include "base/interruption.h"
#include "base/run_folder.h"
#include "base/run_program.h"

namespace weft {

namespace {

// A signal so soon after the first is the same request: `timeout` and terminals send it to a
// process and to its group.
constexpr double same_request_s = 0.2;

// How long to wait for a place where it is safe to stop: so many times what lay between two of
// them, within bounds that those who wait for an end (schedulers) keep too.
constexpr double times_longest = 3;
constexpr double shortest_wait_s = 5, longest_wait_s = 20;
// Where there was no such place yet, there is nothing to keep.
constexpr double wait_before_first_s = 1;

std::atomic<double> first_signal_s = -1;
std::atomic<int> last_signal = 0;
std::array<int, 2> wake = {-1, -1}; // a pipe, to the watcher: a byte for each request

std::mutex way_mutex;
std::string way; // see set_way_to_go_on()

double now_s() noexcept {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Only notes what came: all else is for the watcher, where everything is allowed.
void on_signal(int signal) {
  const int kept = errno;
  double none = -1;
  const bool first = first_signal_s.compare_exchange_strong(none, now_s());
  if (first || now_s() - first_signal_s > same_request_s) {
    last_signal = signal;
    request_interruption(signal);
    [[maybe_unused]] const ssize_t ignored = ::write(wake[1], "", 1);
  }
  errno = kept;
}

[[noreturn]] void end_at_once() {
  end_children();
  remove_run_folders();
  _exit(128 + last_signal);
}

// Whether a request came, within so long; below 0: however long that takes.
bool wait_for_request(double seconds) {
  pollfd requests = {.fd = wake[0], .events = POLLIN, .revents = 0};
  char byte = 0;
  return poll(&requests, 1, static_cast<int>(1e3 * seconds)) == 1 && ::read(wake[0], &byte, 1) == 1;
}

[[noreturn]] void end_without_a_safe_place() {
  std::string text =
      fmt::format("error: {} where no work could be kept\n", Interrupted{interruption()}.what());
  if (const std::string line = way_to_go_on(); !line.empty())
    text += fmt::format("  remedy:  {}\n", line);
  std::fputs(text.c_str(), stderr);
  end_at_once();
}

// Ends the program at the second request, and where nobody looks at the first one.
void watch() {
  while (!wait_for_request(-1)) {
  }
  const double longest_s = looks_at_interruption().longest_s;
  const double limit_s =
      longest_s > 0 ? std::clamp(times_longest * longest_s, shortest_wait_s, longest_wait_s)
                    : wait_before_first_s;
  while (!wait_for_request(0.02))
    if (!looks_at_interruption().seen && now_s() - first_signal_s > limit_s)
      end_without_a_safe_place();
  end_at_once();
}

// All signals stay with the other threads.
void start_watcher() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(watch).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      // In the wrong direction, and the lowest number that is free: that of the stream.
      open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

} // namespace

void install_signal_handlers() {
  open_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);
  if (pipe2(wake.data(), O_CLOEXEC) != 0)
    return; // signals end the program as they end others
  start_watcher();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN)
      continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

void set_way_to_go_on(const std::string &line) {
  const std::lock_guard lock(way_mutex);
  way = line;
}

std::string way_to_go_on() {
  const std::lock_guard lock(way_mutex);
  return way;
}

} // namespace weft
