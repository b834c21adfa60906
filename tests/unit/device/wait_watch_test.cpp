// A wait that does not end ends the process; those that end do nothing.
#include "device/wait_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace weft {
namespace {

using std::chrono::milliseconds;

TEST(WaitWatch, EndsAProcessThatWaitsForEver) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        WaitWatch watch(0.05, [] { std::_Exit(3); });
        const DeviceWait wait;
        while (true)
          std::this_thread::sleep_for(milliseconds(10));
      },
      testing::ExitedWithCode(3), "");
}

TEST(WaitWatch, HoldsAWaitThatEndsTooLate) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        std::atomic<bool> overdue = false;
        WaitWatch watch(0.05, [&] {
          overdue = true;
          std::this_thread::sleep_for(milliseconds(50)); // while results are written
          std::_Exit(3);
        });
        {
          const DeviceWait wait;
          while (!overdue)
            std::this_thread::sleep_for(milliseconds(1));
        }
        std::_Exit(7); // it came out of the wait
      },
      testing::ExitedWithCode(3), "");
}

TEST(WaitWatch, ManyShortWaitsAndWaitsInWaitsAreNotOverdue) {
  std::atomic<bool> overdue = false;
  {
    WaitWatch watch(100, [&] { overdue = true; });
    for (int i = 0; i < 1000; ++i) {
      const DeviceWait wait, inner;
    }
    std::thread other([] {
      for (int i = 0; i < 1000; ++i)
        const DeviceWait wait;
    });
    for (int i = 0; i < 1000; ++i)
      const DeviceWait wait;
    other.join();
  }
  EXPECT_FALSE(overdue);
}

TEST(WaitWatch, NothingIsWatchedOnceItIsGone) {
  std::atomic<bool> overdue = false;
  const DeviceWait wait;
  {
    WaitWatch watch(1000, [&] { overdue = true; });
  }
  EXPECT_FALSE(overdue);
}

} // namespace
} // namespace weft
