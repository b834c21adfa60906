#include "base/parallel.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace weft {

namespace {

int configured_threads = 0;

} // namespace

int host_threads() {
  if (configured_threads > 0)
    return configured_threads;
  return std::max(1u, std::thread::hardware_concurrency());
}

void set_host_threads(int threads) {
  configured_threads = threads;
}

void parallel_ranges(std::int64_t count,
                     const std::function<void(std::int64_t, std::int64_t, int)> &body) {
  // Below this a thread costs more than it saves.
  constexpr std::int64_t smallest_share = 2048;
  const int threads =
      static_cast<int>(std::clamp<std::int64_t>(count / smallest_share, 1, host_threads()));
  if (threads == 1) {
    body(0, count, 0);
    return;
  }
  std::vector<std::exception_ptr> failures(threads);
  const auto share = [&](int thread) {
    try {
      body(count * thread / threads, count * (thread + 1) / threads, thread);
    } catch (...) {
      failures[thread] = std::current_exception();
    }
  };
  std::vector<std::thread> workers;
  for (int thread = 1; thread < threads; ++thread)
    workers.emplace_back(share, thread);
  share(0);
  for (auto &worker : workers)
    worker.join();
  for (const auto &failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

} // namespace weft
