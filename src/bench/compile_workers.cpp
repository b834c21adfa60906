#include "bench/compile_workers.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"

extern char **environ;

namespace weft {

namespace {

constexpr int most_workers = 16;

class Worker {
public:
  explicit Worker(const std::vector<std::string> &command);
  // Ends its input and waits until it has kept what it compiled.
  ~Worker();
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  bool alive() const { return pid_ > 0; }
  int socket() const { return socket_; }
  bool busy() const { return job_.has_value(); }
  const std::string &job() const { return *job_; }
  // False where it has died.
  bool give(const std::string &job);
  // What it answered; nothing yet, or, where it has died, that.
  std::optional<std::string> answer();

private:
  int socket_ = -1;
  pid_t pid_ = -1;
  std::string read_;
  std::optional<std::string> job_;
};

// A socket and no pipes: writing to a worker that has died must not raise a signal here.
Worker::Worker(const std::vector<std::string> &command) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return;
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int failed =
      posix_spawn(&pid_, arguments.front(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  if (failed != 0) {
    pid_ = -1;
    close(ends[0]);
    return;
  }
  socket_ = ends[0];
}

Worker::~Worker() {
  if (socket_ >= 0)
    close(socket_);
  if (pid_ <= 0)
    return;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

bool Worker::give(const std::string &job) {
  const std::string line = job + "\n";
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t now = send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR)
      continue;
    if (now <= 0)
      return false;
    sent += static_cast<std::size_t>(now);
  }
  job_ = job;
  return true;
}

std::optional<std::string> Worker::answer() {
  char bytes[4096];
  const ssize_t number = recv(socket_, bytes, sizeof bytes, 0);
  if (number < 0 && errno == EINTR)
    return std::nullopt;
  std::optional<std::string> answer;
  if (number <= 0) {
    answer = "its process ended";
    close(socket_);
    socket_ = -1;
  } else {
    read_.append(bytes, static_cast<std::size_t>(number));
    const std::size_t end = read_.find('\n');
    if (end == std::string::npos)
      return std::nullopt;
    answer = read_.substr(0, end);
    read_.erase(0, end + 1);
  }
  job_.reset();
  return answer;
}

std::vector<std::unique_ptr<Worker>> start(const std::vector<std::string> &command, int number) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < number; ++i) {
    auto worker = std::make_unique<Worker>(command);
    if (!worker->alive()) {
      log::notice("a process that compiles kernels ahead can't be started: {}", command.front());
      break;
    }
    workers.push_back(std::move(worker));
  }
  return workers;
}

} // namespace

int CompileWorkers::run(const std::vector<std::string> &jobs,
                        const std::function<void(int)> &done) const {
  std::vector<std::unique_ptr<Worker>> workers =
      start(command_, std::min<int>(number_, static_cast<int>(jobs.size())));
  std::size_t next = 0;
  int num_done = 0, num_good = 0;
  while (!workers.empty()) {
    for (auto &worker : workers)
      if (!worker->busy() && next < jobs.size() && worker->give(jobs[next]))
        ++next;
    std::vector<pollfd> waits;
    for (const auto &worker : workers)
      if (worker->busy())
        waits.push_back({worker->socket(), POLLIN, 0});
    if (waits.empty())
      break;
    if (poll(waits.data(), waits.size(), -1) < 0)
      continue; // a signal
    for (auto &worker : workers) {
      const auto wait = std::find_if(waits.begin(), waits.end(), [&](const pollfd &w) {
        return w.fd == worker->socket() && w.revents != 0;
      });
      if (wait == waits.end())
        continue;
      const std::string job = worker->job();
      const std::optional<std::string> answer = worker->answer();
      if (!answer)
        continue;
      num_good += answer->empty() ? 1 : 0;
      if (!answer->empty())
        log::debug("not compiled ahead: {}: {}", job, *answer);
      done(++num_done);
    }
    workers.erase(std::remove_if(workers.begin(), workers.end(),
                                 [](const auto &worker) { return worker->socket() < 0; }),
                  workers.end());
  }
  return num_good;
}

CompileWorkers compile_workers(const std::string &device, int threads, int cores) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const int number = std::min(cores, most_workers);
  if (error || number < 2)
    return {{}, 0};
  return {{program.string(), "-q", "compile-ahead", "--device", device, "--threads",
           std::to_string(threads)},
          number};
}

void serve_jobs(const std::function<void(const std::string &)> &job) {
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer;
    try {
      job(line);
    } catch (const std::exception &error) {
      answer = error.what();
      std::replace(answer.begin(), answer.end(), '\n', ' ');
    }
    std::cout << answer << std::endl;
  }
}

} // namespace weft
