// Numbers of things that each rank has some of: those of a rank follow those of lower ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "ranks/communicator.h"

namespace weft {

// All: [rank + 1]: where the numbers of each rank begin, then how many there are.
inline std::vector<std::int64_t> first_numbers(Communicator &ranks, std::int64_t own) {
  std::vector<std::int64_t> counts(ranks.size()), first(1, 0);
  ranks.gather(&own, sizeof own, counts.data());
  for (const std::int64_t count : counts)
    first.push_back(first.back() + count);
  return first;
}

} // namespace weft
