// Host loops over threads: everything is done once, wherever it is cut.
#include "base/parallel.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace weft {
namespace {

class Parallel : public testing::TestWithParam<int> {
protected:
  void SetUp() override { set_host_threads(GetParam()); }
  void TearDown() override { set_host_threads(0); }
};

TEST_P(Parallel, ChunksAreTheSameOnAnyNumberOfThreads) {
  for (const std::int64_t count : {0, 1, 9, 10, 11, 95}) {
    std::vector<int> times(count, 0);
    std::set<std::pair<std::int64_t, std::int64_t>> chunks;
    std::mutex mutex;
    parallel_chunks(count, 10, [&](std::int64_t begin, std::int64_t end, int thread) {
      const std::lock_guard lock(mutex);
      EXPECT_GE(thread, 0);
      EXPECT_LT(thread, GetParam());
      chunks.insert({begin, end});
      for (std::int64_t i = begin; i < end; ++i)
        ++times[i];
    });
    EXPECT_EQ(times, std::vector<int>(count, 1));
    std::set<std::pair<std::int64_t, std::int64_t>> expected;
    for (std::int64_t begin = 0; begin < count; begin += 10)
      expected.insert({begin, std::min<std::int64_t>(begin + 10, count)});
    EXPECT_EQ(chunks, expected);
  }
}

TEST_P(Parallel, RangesCoverEverythingOnce) {
  for (const std::int64_t count : {0, 1, 5000, 100000}) {
    std::vector<int> times(count, 0);
    parallel_ranges(count, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t i = begin; i < end; ++i)
        ++times[i];
    });
    EXPECT_EQ(times, std::vector<int>(count, 1));
  }
}

TEST_P(Parallel, ExceptionsComeBack) {
  const auto fail = [](std::int64_t begin, std::int64_t end, int) {
    if (begin <= 70000 && 70000 < end)
      throw std::runtime_error("here");
  };
  EXPECT_THROW(parallel_chunks(100000, 10, fail), std::runtime_error);
  EXPECT_THROW(parallel_ranges(100000, fail), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 3, 7));

} // namespace
} // namespace weft
