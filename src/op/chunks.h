// Host loops in chunks of fixed size: sums over them in order do not depend on the threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/parallel.h"

namespace weft {

// Calls body(begin, end, chunk) for each chunk of [0, count), on all threads.
template <typename Body> void for_each_chunk(std::int64_t count, std::int64_t size, Body body) {
  parallel_ranges(count, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t chunk = (begin + size - 1) / size; chunk * size < end; ++chunk)
      body(chunk * size, std::min(count, (chunk + 1) * size), chunk);
  });
}

// The sum of body(begin, end, sums) over the chunks, added in the order of the chunks;
// sums[0..num_sums) start at zero in each.
template <typename Body>
std::vector<double> sum_chunks(std::int64_t count, std::int64_t size, int num_sums, Body body) {
  std::vector<double> partial((count + size - 1) / size * num_sums, 0.0);
  for_each_chunk(count, size, [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
    body(begin, end, &partial[chunk * num_sums]);
  });
  std::vector<double> total(num_sums, 0.0);
  for (std::size_t i = 0; i < partial.size(); ++i)
    total[i % num_sums] += partial[i];
  return total;
}

} // namespace weft
