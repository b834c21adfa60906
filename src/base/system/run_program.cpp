#include "base/system/run_program.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sstream>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system/interruption.h"

extern char **environ;

namespace weft {

namespace {

// Process groups of programs that run, for end_children(); those beyond have to be waited for.
std::array<std::atomic<pid_t>, 32> children;

class RunningChild {
public:
  explicit RunningChild(pid_t group) {
    for (auto &place : children) {
      pid_t none = 0;
      if (place.compare_exchange_strong(none, group)) {
        place_ = &place;
        return;
      }
    }
  }
  ~RunningChild() {
    if (place_)
      *place_ = 0;
  }
  RunningChild(const RunningChild &) = delete;
  RunningChild &operator=(const RunningChild &) = delete;

private:
  std::atomic<pid_t> *place_ = nullptr;
};

// The beginning and the end of what a program writes, however much that is.
class BoundedText {
public:
  void add(std::string_view text) {
    const std::size_t to_head = std::min(text.size(), part_bytes - head_.size());
    head_ += text.substr(0, to_head);
    tail_ += text.substr(to_head);
    if (tail_.size() > 2 * part_bytes) {
      left_out_ += tail_.size() - part_bytes;
      tail_.erase(0, tail_.size() - part_bytes);
    }
  }
  std::string text() const {
    return left_out_ == 0 ? head_ + tail_
                          : head_ + "\n... " + std::to_string(left_out_) + " bytes ...\n" + tail_;
  }

private:
  static constexpr std::size_t part_bytes = 1 << 15;
  std::string head_, tail_;
  std::size_t left_out_ = 0;
};

// What the forked process needs, made before: there it may not allocate.
struct Prepared {
  std::vector<char *> arguments, environment;
  const char *folder = nullptr;
  const Confinement *confinement = nullptr;
  int input = -1, output = -1, failure = -1; // the last receives errno where exec fails
  pid_t parent = 0;
};

[[noreturn]] void give_up(const Prepared &p) {
  const int reason = errno;
  if (::write(p.failure, &reason, sizeof reason) < 0)
    ::_exit(126);
  ::_exit(127);
}

// In the forked process: calls of the system only.
[[noreturn]] void become(const Prepared &p) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != p.parent) // it died before
    ::_exit(127);
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal)
    ::sigaction(signal, &usual, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(p.input, STDIN_FILENO) < 0 || ::dup2(p.output, STDOUT_FILENO) < 0 ||
      ::dup2(p.output, STDERR_FILENO) < 0)
    give_up(p);
  if (*p.folder && ::chdir(p.folder) != 0)
    give_up(p);
  if (p.confinement && !p.confinement->enter())
    give_up(p);
  ::execve(p.arguments[0], p.arguments.data(), p.environment.data());
  give_up(p);
}

bool has_name(std::string_view setting, std::string_view name) {
  return setting.starts_with(name) && setting.substr(name.size()).starts_with("=");
}

std::vector<std::string> environment_of(const ProgramRun &run) {
  std::vector<std::string> all = run.environment;
  for (char **own = environ; *own; ++own) {
    const std::string_view setting = *own;
    const auto replaced = [&](const std::string &other) {
      return has_name(setting, std::string_view(other).substr(0, other.find('=')));
    };
    if (std::none_of(run.environment.begin(), run.environment.end(), replaced) &&
        std::none_of(run.without.begin(), run.without.end(), replaced))
      all.emplace_back(setting);
  }
  return all;
}

std::vector<char *> pointers_to(const std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(const_cast<char *>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

struct Pipe {
  FileHandle reading, writing;
  Pipe() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) == 0) {
      reading = FileHandle(ends[0]);
      writing = FileHandle(ends[1]);
    }
  }
};

int status_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Takes what is there within that time. False at the end of the output.
bool take_output(const FileHandle &output, int wait_ms, BoundedText &text) {
  pollfd event = {output.number(), POLLIN, 0};
  if (::poll(&event, 1, wait_ms) <= 0)
    return true;
  char bytes[1 << 16]; // as much as a pipe holds
  const ssize_t got = ::read(output.number(), bytes, sizeof bytes);
  if (got > 0)
    text.add({bytes, static_cast<std::size_t>(got)});
  return got > 0 || (got < 0 && errno == EINTR);
}

// Takes what the process writes until it has ended; what it has started may go on.
void wait_for(pid_t child, const FileHandle &output, double timeout_s, ProgramEnd &end) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  BoundedText text;
  bool open = true;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) != child) {
    const bool late = std::chrono::duration<double>(Clock::now() - begin).count() > timeout_s;
    if (late || interrupted()) {
      end.timed_out = late;
      ::kill(-child, SIGKILL);
      while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      throw_if_interrupted();
      break;
    }
    if (open)
      open = take_output(output, 100, text);
    else
      ::poll(nullptr, 0, 10);
  }
  if (open)
    take_output(output, 0, text);
  end.status = status_of(status);
  end.output = text.text();
}

} // namespace

std::filesystem::path find_program(const std::string &name) {
  const char *path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored) &&
        ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return {};
}

ProgramEnd run_program(const ProgramRun &run) {
  const std::vector<std::string> environment = environment_of(run);
  const std::string folder = run.folder.string();
  Pipe output, failure;
  const FileHandle input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Prepared prepared{.arguments = pointers_to(run.arguments),
                          .environment = pointers_to(environment),
                          .folder = folder.c_str(),
                          .confinement = run.confinement,
                          .input = input.number(),
                          .output = output.writing.number(),
                          .failure = failure.writing.number(),
                          .parent = ::getpid()};
  const pid_t child = ::fork();
  if (child == 0)
    become(prepared);
  int reason = child < 0 ? errno : 0;
  output.writing.close();
  failure.writing.close();
  ProgramEnd end;
  if (child > 0) {
    ::setpgid(child, child); // whoever comes first
    const RunningChild running(child);
    ssize_t got = 0;
    while ((got = ::read(failure.reading.number(), &reason, sizeof reason)) < 0 && errno == EINTR) {
    }
    if (got <= 0) // closed as the program began
      reason = 0;
    wait_for(child, output.reading, run.timeout_s, end);
  }
  if (reason != 0)
    throw Error(ErrorKind::system, {.what = "A program cannot be started.",
                                    .where = run.arguments[0],
                                    .found = std::strerror(reason),
                                    .remedy = "check that it runs by hand"});
  return end;
}

void end_children() {
  for (auto &place : children)
    if (const pid_t group = place; group > 0)
      ::kill(-group, SIGKILL);
}

} // namespace weft
