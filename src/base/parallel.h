// Host loops over the cores of this machine.
#pragma once

#include <cstdint>
#include <functional>

namespace weft {

// Hardware threads of this machine that are running.
int num_processors();

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

} // namespace weft
