// Running sums over numbers that ranks hold.
#include "ranks/sums_in_order.h"

#include <atomic>

#include <gtest/gtest.h>

#include "ranks/thread_ranks.h"

namespace weft {
namespace {

// Number n, of rank n * 7 % size, counts n % 5; every eleventh is held by nobody.
TEST(SumsInOrder, AreThoseOfAllLowerNumbers) {
  for (const int size : {1, 2, 3, 8})
    for (const std::int64_t numbers : {0, 3, 100}) {
      std::atomic<int> wrong = 0;
      run_thread_ranks(size, [&](Communicator &ranks) {
        CountsByNumber held;
        held.num_numbers = numbers;
        std::vector<std::int64_t> expected;
        std::int64_t sum = 0;
        for (std::int64_t n = 0; n < numbers; ++n) {
          if (n % 11 == 10)
            continue;
          if (n * 7 % size == ranks.rank()) {
            held.number.push_back(n);
            held.count.push_back(n % 5);
            expected.push_back(sum);
          }
          sum += n % 5;
        }
        const SumsInOrder sums = sums_in_order(held, ranks);
        wrong += sums.before != expected || sums.all != sum ? 1 : 0;
      });
      EXPECT_EQ(wrong, 0) << size << " ranks, " << numbers << " numbers";
    }
}

} // namespace
} // namespace weft
