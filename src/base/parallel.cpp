#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fmt/format.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/error.h"

namespace weft {

namespace {

int configured_threads = 0;

// Calls share(thread) on `threads` threads at once, this one among them.
void run_threads(int threads, const std::function<void(int)> &share) {
  std::vector<std::exception_ptr> failures(threads);
  const auto guarded = [&](int thread) {
    try {
      share(thread);
    } catch (...) {
      failures[thread] = std::current_exception();
    }
  };
  std::vector<std::thread> workers;
  int begun = 1;
  try {
    for (; begun < threads; ++begun)
      workers.emplace_back(guarded, begun);
  } catch (const std::system_error &) {
    // The system gives no more threads: this one does their shares.
  }
  guarded(0);
  for (int thread = begun; thread < threads; ++thread)
    guarded(thread);
  for (auto &worker : workers)
    worker.join();
  for (const auto &failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

} // namespace

int num_processors() {
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

void require_num_threads(int threads, const std::string &where) {
  if (threads < 0 || threads > num_processors())
    throw Error(ErrorKind::input, {.what = "more threads than this machine has processors",
                                   .where = where,
                                   .found = std::to_string(threads),
                                   .allowed = fmt::format("0 (all) to {}", num_processors())});
}

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
  run_threads(threads, [&](int thread) {
    body(count * thread / threads, count * (thread + 1) / threads, thread);
  });
}

void parallel_chunks(std::int64_t count, std::int64_t chunk,
                     const std::function<void(std::int64_t, std::int64_t, int)> &body) {
  const std::int64_t chunks = (count + chunk - 1) / chunk;
  const int threads = static_cast<int>(std::clamp<std::int64_t>(chunks, 1, host_threads()));
  std::atomic<std::int64_t> next = 0;
  run_threads(threads, [&](int thread) {
    for (std::int64_t c = next++; c < chunks; c = next++)
      body(c * chunk, std::min(count, (c + 1) * chunk), thread);
  });
}

} // namespace weft
