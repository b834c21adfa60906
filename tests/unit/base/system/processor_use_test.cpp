// Who uses the processors, by counters that are made up.
#include "base/system/processor_use.h"

#include <gtest/gtest.h>
#include <vector>

namespace weft {
namespace {

TEST(ProcessorUse, CountersOfMyProcessors) {
  const std::string stat = "cpu  999 999 999 999 0 0 0 0 0 0\n"
                           "cpu0 100 20 30 400 5 1 2 7 9 0\n"
                           "cpu1 10 0 0 90 0 0 0 0 0 0\n"
                           "cpu12 1000 0 0 0\n" // of an old system
                           "intr 12345\n";
  const auto first = processor_times_from(stat, 100, [](int p) { return p == 0; });
  ASSERT_TRUE(first);
  EXPECT_DOUBLE_EQ(first->busy_s, 1.60); // with 7 that the host took; guests are in "user"
  EXPECT_DOUBLE_EQ(first->idle_s, 4.05);
  const auto two = processor_times_from(stat, 100, [](int p) { return p != 0; });
  ASSERT_TRUE(two);
  EXPECT_DOUBLE_EQ(two->busy_s, 10.10);
  EXPECT_FALSE(processor_times_from(stat, 100, [](int) { return false; }));
  EXPECT_FALSE(processor_times_from("", 100, [](int) { return true; }));
}

TEST(ProcessorUse, OthersHaveWhatIsBusyAndNotOwn) {
  std::vector<ProcessorTimes> readings = {
      {.busy_s = 10, .idle_s = 5, .own_s = 3},
      {.busy_s = 11.5, .idle_s = 5.5, .own_s = 4}, // half a second of two is others'
      {.busy_s = 20, .idle_s = 9, .own_s = 8},
      {.busy_s = 21, .idle_s = 10, .own_s = 9}, // nothing of two
  };
  std::size_t next = 0;
  OthersUse use([&] { return std::optional(readings[next++]); });
  EXPECT_FALSE(use.share()); // nothing is known yet
  use.begin();
  use.end();
  EXPECT_DOUBLE_EQ(use.share().value(), 0.25);
  use.begin();
  use.end();
  EXPECT_DOUBLE_EQ(use.share().value(), 0.125);
}

TEST(ProcessorUse, ShortSpansSaySomethingOnlyTogether) {
  ProcessorTimes now;
  OthersUse use([&] { return std::optional(now); }), sum;
  use.begin();
  now.busy_s += 0.1;
  use.end();
  EXPECT_FALSE(use.share());
  sum.add(use);
  sum.add(use);
  EXPECT_DOUBLE_EQ(sum.share().value(), 1);
}

TEST(ProcessorUse, WhatTheSystemDoesNotSayIsNotKnown) {
  OthersUse use([] { return std::optional<ProcessorTimes>(); });
  use.begin();
  use.end();
  EXPECT_FALSE(use.share());
}

TEST(ProcessorUse, ThisMachine) {
  const auto times = processor_times();
  if (!times)
    GTEST_SKIP() << "the system does not say who uses its processors (/proc/stat)";
  EXPECT_GT(times->busy_s + times->idle_s, 0);
  EXPECT_GT(times->own_s, 0);
}

} // namespace
} // namespace weft
