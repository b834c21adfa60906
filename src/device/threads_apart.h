// Where threads that others began in this process may run.
#pragma once

#include <sched.h>
#include <utility>
#include <vector>

namespace weft {

// Threads of this process, by their numbers in the system, ascending.
std::vector<int> threads_of_process();

// The threads that come into being while it lives.
class ThreadsBegun {
public:
  ThreadsBegun() : before_(threads_of_process()) {}
  std::vector<int> threads() const;

private:
  std::vector<int> before_;
};

// Binds each of some threads to one of the processors that it may use, one after another in turn,
// until it is destroyed. A thread that may use only one already, or has ended, is left alone: where
// threads run is never more than a wish.
class ThreadsApart {
public:
  explicit ThreadsApart(const std::vector<int> &threads);
  ~ThreadsApart();
  ThreadsApart(const ThreadsApart &) = delete;
  ThreadsApart &operator=(const ThreadsApart &) = delete;

private:
  std::vector<std::pair<int, cpu_set_t>> bound_; // and where each was allowed before
};

} // namespace weft
