// Host loops over the cores of this machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace weft {

// Hardware threads of this machine that are running.
int num_processors();

// Throws an input error unless so many threads may be asked for: 0 (all) to num_processors().
// `where`: where the number stands.
void require_num_threads(int threads, const std::string &where);

// Number of host threads used by parallel_ranges: the cores, or what set_host_threads() said.
int host_threads();
void set_host_threads(int threads);

// Splits [0, count) into one contiguous range a thread and calls body(begin, end, thread) for each,
// at once. An exception in a body is rethrown here after all have ended.
void parallel_ranges(std::int64_t count,
                     const std::function<void(std::int64_t, std::int64_t, int)> &body);

// Cuts [0, count) into chunks of `chunk` (the last may be shorter) and calls body(begin, end,
// thread) for each; a thread that is done takes the next. Where chunks begin depends on no thread.
// An exception in a body is rethrown here after all have ended.
void parallel_chunks(std::int64_t count, std::int64_t chunk,
                     const std::function<void(std::int64_t, std::int64_t, int)> &body);

// The first of the numbers from 0 up to count - 1 for which is_wanted() is true; count: there is
// none. All are looked at, or all before that one.
template <typename IsWanted>
std::int64_t parallel_find(std::int64_t count, const IsWanted &is_wanted) {
  std::atomic<std::int64_t> first = count;
  parallel_ranges(count, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t i = begin; i < end; ++i)
      if (is_wanted(i)) {
        std::int64_t known = first;
        while (i < known && !first.compare_exchange_weak(known, i))
          continue;
        return;
      }
  });
  return first;
}

} // namespace weft
