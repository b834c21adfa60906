#include "device/threads_apart.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>

namespace weft {

std::vector<int> threads_of_process() {
  std::vector<int> threads;
  std::error_code none; // a system without /proc: no threads are known
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task", none))
    threads.push_back(std::stoi(entry.path().filename()));
  std::sort(threads.begin(), threads.end());
  return threads;
}

std::vector<int> ThreadsBegun::threads() const {
  const std::vector<int> now = threads_of_process();
  std::vector<int> begun;
  std::set_difference(now.begin(), now.end(), before_.begin(), before_.end(),
                      std::back_inserter(begun));
  return begun;
}

ThreadsApart::ThreadsApart(const std::vector<int> &threads) {
  int processor = -1;
  for (const int thread : threads) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(thread, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2)
      continue;
    do
      processor = (processor + 1) % CPU_SETSIZE;
    while (!CPU_ISSET(processor, &allowed));
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    if (sched_setaffinity(thread, sizeof one, &one) == 0)
      bound_.emplace_back(thread, allowed);
  }
}

ThreadsApart::~ThreadsApart() {
  for (const auto &[thread, allowed] : bound_)
    sched_setaffinity(thread, sizeof allowed, &allowed);
}

} // namespace weft
