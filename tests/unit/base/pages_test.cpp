#include "base/pages.h"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <new>
#include <thread>
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

#ifndef __SANITIZE_ADDRESS__ // which has every block by itself
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
