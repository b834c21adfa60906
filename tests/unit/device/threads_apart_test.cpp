#include "device/threads_apart.h"

#include <future>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "device/device.h"
#include "device/open/open_device.h"

namespace weft {
namespace {

// Threads that wait until it is destroyed.
class Waiting {
public:
  explicit Waiting(int count) {
    for (int t = 0; t < count; ++t)
      threads_.emplace_back([this] { released_.wait(); });
  }
  ~Waiting() {
    release_.set_value();
    for (std::thread &thread : threads_)
      thread.join();
  }

private:
  std::promise<void> release_;
  std::shared_future<void> released_ = release_.get_future().share();
  std::vector<std::thread> threads_;
};

cpu_set_t allowed(int thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(thread, sizeof set, &set), 0);
  return set;
}

TEST(ThreadsApart, HaveAProcessorEachAndAreFreeAfterwards) {
  const cpu_set_t own = allowed(0);
  if (CPU_COUNT(&own) < 2)
    GTEST_SKIP() << "this process has one processor";
  const ThreadsBegun begun;
  const Waiting waiting(3);
  const std::vector<int> threads = begun.threads();
  ASSERT_EQ(threads.size(), 3U);
  {
    const ThreadsApart apart(threads);
    const cpu_set_t first = allowed(threads[0]), second = allowed(threads[1]);
    cpu_set_t both;
    CPU_AND(&both, &first, &second);
    EXPECT_EQ(CPU_COUNT(&first), 1);
    EXPECT_EQ(CPU_COUNT(&second), 1);
    EXPECT_EQ(CPU_COUNT(&both), 0);
  }
  for (const int thread : threads) {
    const cpu_set_t now = allowed(thread);
    EXPECT_TRUE(CPU_EQUAL(&now, &own));
  }
}

TEST(ThreadsApart, LeaveAloneWhatIsBoundOrHasEnded) {
  const ThreadsBegun begun;
  std::vector<int> threads;
  {
    const Waiting waiting(1);
    threads = begun.threads();
    ASSERT_EQ(threads.size(), 1U);
    const cpu_set_t before = allowed(threads[0]);
    int last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &before))
      --last;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    ASSERT_EQ(sched_setaffinity(threads[0], sizeof one, &one), 0);
    const ThreadsApart apart(threads);
    const cpu_set_t now = allowed(threads[0]);
    EXPECT_TRUE(CPU_EQUAL(&now, &one));
  }
  const ThreadsApart of_ended(threads);
}

TEST(ThreadsApart, AreThoseOfACpuDevice) {
  const auto device = open_device("");
  if (!device->info().is_cpu)
    GTEST_SKIP() << "the default device is no CPU";
  const auto own = allowed(0);
  const auto count_bound = [] {
    int bound = 0;
    for (const int thread : threads_of_process()) {
      const cpu_set_t set = allowed(thread);
      bound += CPU_COUNT(&set) == 1;
    }
    return bound;
  };
  const int before = count_bound();
  if (CPU_COUNT(&own) < 2 || before > 0)
    GTEST_SKIP() << "threads are bound already";
  {
    const auto apart = device->keep_threads_apart();
    EXPECT_GE(count_bound(), device->info().compute_units);
  }
  EXPECT_EQ(count_bound(), 0);
}

} // namespace
} // namespace weft
