#include "base/pages.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <new>
#include <thread>
#include <unistd.h>
#include <vector>

namespace weft {
namespace {

constexpr std::size_t page = std::size_t{2} << 20;

TEST(Pages, AreAlignedAndWritable) {
  for (const std::size_t bytes : {page, page + 1, 5 * page - 3}) {
    void *block = allocate_pages(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % page, 0U) << bytes;
    std::memset(block, 1, bytes);
    free_pages(block, bytes);
  }
  void *small = allocate_pages(100);
  std::memset(small, 1, 100);
  free_pages(small, 100);
  free_pages(allocate_pages(0), 0);
  free_pages(nullptr, 0);
}

TEST(Pages, TooManyAreRefused) {
  EXPECT_THROW(allocate_pages(std::size_t{1} << 62), std::bad_alloc);
}

// AddressSanitizer has every block by itself, and the shadow of ThreadSanitizer is resident too.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Pages, FreedOnesAreGivenOutAgain) {
  constexpr std::size_t size = 100 * page; // more than other tests leave
  void *block = allocate_pages(size);
  free_pages(block, size);
  // Cut where less is wanted; what is freed is joined with what is free beside it.
  auto *first = static_cast<char *>(allocate_pages(60 * page));
  auto *second = static_cast<char *>(allocate_pages(40 * page));
  EXPECT_EQ(first, block);
  EXPECT_EQ(second, first + 60 * page);
  free_pages(second, 40 * page);
  free_pages(first, 60 * page);
  void *whole = allocate_pages(size);
  EXPECT_EQ(whole, block);
  free_pages(whole, size);
}

// Pages of this process that are in memory.
std::size_t resident_pages() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  statm >> size >> resident;
  EXPECT_TRUE(statm);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / page;
}

TEST(Pages, FreedOnesApartAreGatheredForALongerBlock) {
  constexpr int count = 40;
  std::vector<void *> held;
  for (int i = 0; i < 2 * count; ++i) {
    held.push_back(allocate_pages(page));
    std::memset(held.back(), 1, page);
  }
  for (int i = 0; i < 2 * count; i += 2) // none beside another
    free_pages(held[i], page);
  const std::size_t before = resident_pages();
  constexpr std::size_t size = 2 * count * page; // longer than what is free
  auto *block = static_cast<char *>(allocate_pages(size));
  std::memset(block, 2, size);
  EXPECT_LE(resident_pages(), before + count + 4);
  for (int i = 1; i < 2 * count; i += 2) {
    EXPECT_EQ(std::count(static_cast<char *>(held[i]), static_cast<char *>(held[i]) + page, 1),
              std::ptrdiff_t(page));
    free_pages(held[i], page);
  }
  EXPECT_EQ(std::count(block, block + size, 2), std::ptrdiff_t(size));
  free_pages(block, size);
}
#endif

TEST(Pages, BelongToOneAtATime) {
  constexpr int threads = 8, rounds = 200;
  std::vector<int> wrong(threads, 0);
  std::vector<std::thread> users;
  for (int t = 0; t < threads; ++t)
    users.emplace_back([t, &wrong] {
      for (int round = 0; round < rounds; ++round) {
        const std::size_t bytes = page * (1 + (t + round) % 4);
        auto *block = static_cast<volatile char *>(allocate_pages(bytes));
        for (std::size_t at = 0; at < bytes; at += page / 2)
          block[at] = static_cast<char>(t);
        std::this_thread::yield();
        for (std::size_t at = 0; at < bytes; at += page / 2)
          wrong[t] += block[at] != static_cast<char>(t);
        free_pages(const_cast<char *>(block), bytes);
      }
    });
  for (std::thread &user : users)
    user.join();
  for (int t = 0; t < threads; ++t)
    EXPECT_EQ(wrong[t], 0) << t;
}

} // namespace
} // namespace weft
