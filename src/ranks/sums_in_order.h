// Running sums over numbers that ranks hold in any shares.
#pragma once

#include <cstdint>
#include <vector>

#include "ranks/communicator.h"

namespace weft {

// Numbers that a rank holds, each held by one rank at most, and a count of each.
struct CountsByNumber {
  std::int64_t num_numbers = 0; // they are below it; the same on all ranks
  std::vector<std::int64_t> number, count;
};

struct SumsInOrder {
  std::vector<std::int64_t> before; // [held number]: the counts of all lower ones, on any rank
  std::int64_t all = 0;
};

// All.
SumsInOrder sums_in_order(const CountsByNumber &held, Communicator &ranks);

} // namespace weft
