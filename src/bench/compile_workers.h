// Kernels compiled ahead of their use, in processes of their own: PoCL compiles one kernel at a
// time in a process, whatever threads and contexts it has. They meet in the cache of compiled
// kernels that all processes share.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace weft {

// Jobs that a worker does at a time where compiling and timing take turns, which disturb each
// other.
inline constexpr int batch_of_a_worker = 4;

// Jobs are lines of text. A worker reads one after the other from its standard input and answers
// each with a line: nothing, or why it could not be done.
class CompileWorkers {
public:
  // `command`: program and arguments of a worker; empty: there are no workers.
  CompileWorkers(std::vector<std::string> command, int number)
      : command_(std::move(command)), number_(command_.empty() ? 0 : number) {}

  int number() const { return number_; }
  // Hands the jobs out to as many workers, each as it is free, and waits for all. A job that fails,
  // or whose worker dies, is left to who needs it: -v says so. `done`: called after each job, with
  // how many are done. Returns how many were done well.
  int run(const std::vector<std::string> &jobs, const std::function<void(int)> &done) const;

private:
  std::vector<std::string> command_;
  int number_;
};

// This program as a worker of one device: `weft compile-ahead`. For jobs that this program knows.
// As many workers as the device has cores, 16 at most; none where that would be one.
CompileWorkers compile_workers(const std::string &device, int threads, int cores);

// A worker's side: does jobs until standard input ends.
void serve_jobs(const std::function<void(const std::string &)> &job);

} // namespace weft
