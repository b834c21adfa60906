// Host loops in chunks of fixed size, so that what is summed chunk by chunk, in their order, does
// not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/parallel.h"

namespace weft {

// Calls body(begin, end, chunk) for each chunk of [0, count), on all threads.
template <typename Body> void for_each_chunk(std::int64_t count, std::int64_t size, Body body) {
  parallel_ranges(count, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t chunk = (begin + size - 1) / size; chunk * size < end; ++chunk)
      body(chunk * size, std::min(count, (chunk + 1) * size), chunk);
  });
}

} // namespace weft
