#include "run/signals.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

#include "base/system/interruption.h"
#include "base/system/run_folder.h"
#include "base/system/run_program.h"
#include "base/system/way_to_go_on.h"

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

std::atomic<bool> ending = false; // see note_end()

double now_s() noexcept {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

[[noreturn]] void end_at_once(int signal) {
  end_children();
  remove_run_folders();
  _exit(128 + signal);
}

// The signal that asks for an end, as it comes within so long; 0: none did.
int wait_for_request(const sigset_t &requests, double seconds) {
  const timespec limit = {.tv_sec = 0, .tv_nsec = static_cast<long>(1e9 * seconds)};
  return std::max(0, sigtimedwait(&requests, nullptr, &limit));
}

[[noreturn]] void end_without_a_safe_place() {
  std::string text =
      fmt::format("error: {} where no work could be kept\n", Interrupted{interruption()}.what());
  if (const std::string line = way_to_go_on(); !line.empty())
    text += fmt::format("  remedy:  {}\n", line);
  std::fputs(text.c_str(), stderr);
  end_at_once(interruption());
}

// Notes the first request; ends the program at the second, and where nobody looks at the first.
void watch(sigset_t requests) {
  int signal = 0;
  while ((signal = sigwaitinfo(&requests, nullptr)) < 0) {
  }
  const double begin_s = now_s();
  request_interruption(signal);
  const double longest_s = looks_at_interruption().longest_s;
  const double limit_s =
      longest_s > 0 ? std::clamp(times_longest * longest_s, shortest_wait_s, longest_wait_s)
                    : wait_before_first_s;
  while (true) {
    signal = wait_for_request(requests, 0.02);
    if (signal > 0 && now_s() - begin_s > same_request_s)
      end_at_once(signal);
    if (looks_at_interruption().seen || now_s() - begin_s <= limit_s)
      continue;
    if (ending)
      end_at_once(interruption());
    end_without_a_safe_place();
  }
}

// A thread that takes the requests. It gets no other signal.
void start_watcher(const sigset_t &requests) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(watch, requests).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      // In the wrong direction, and the lowest number that is free: that of the stream.
      open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

} // namespace

void note_end() {
  ending = true;
}

void take_signals() {
  open_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);
  // Blocked, and waited for by a thread: a driver's compiler (LLVM) takes over the handlers of a
  // process, and removes the files that it is writing whenever a signal comes.
  sigset_t blocked, requests;
  sigemptyset(&blocked);
  sigemptyset(&requests);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    sigaddset(&blocked, signal);
    if (action.sa_handler != SIG_IGN)
      sigaddset(&requests, signal);
  }
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  start_watcher(requests);
}

} // namespace weft
