#include "base/pages.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace weft {

namespace {

constexpr std::size_t page_bytes = std::size_t{2} << 20;
// At most one part in so many of the machine's memory is kept for later; the system takes it back
// if it runs short.
constexpr std::size_t parts_of_memory = 16;

std::size_t rounded_up(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

#ifndef __SANITIZE_ADDRESS__

// Free memory by address, neighbours joined. Sizes are multiples of a page.
class PagePool {
public:
  void *allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto best = free_.end();
    for (auto block = free_.begin(); block != free_.end(); ++block)
      if (block->second >= bytes && (best == free_.end() || block->second < best->second))
        best = block;
    if (best != free_.end())
      return reinterpret_cast<void *>(take(best, bytes));
    char *address = map(bytes);
    gather(address, bytes);
    return address;
  }

  void free(void *address, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (kept_ + bytes > most_kept_) {
      munmap(address, bytes);
      return;
    }
    madvise(address, bytes, MADV_FREE);
    kept_ += bytes;
    auto block = free_.emplace(reinterpret_cast<std::uintptr_t>(address), bytes).first;
    if (const auto next = std::next(block);
        next != free_.end() && block->first + block->second == next->first) {
      block->second += next->second;
      free_.erase(next);
    }
    if (block != free_.begin())
      if (const auto before = std::prev(block); before->first + before->second == block->first) {
        before->second += block->second;
        free_.erase(block);
      }
  }

private:
  using Blocks = std::map<std::uintptr_t, std::size_t>;

  // The first bytes of a block.
  std::uintptr_t take(Blocks::iterator block, std::size_t bytes) {
    const auto [address, size] = *block;
    free_.erase(block);
    if (size > bytes)
      free_.emplace(address + bytes, size - bytes);
    kept_ -= bytes;
    return address;
  }

  // Moves blocks that are each too small to where new memory of so many bytes begins: page by page,
  // for a block may have come from the system in parts.
  void gather(char *address, std::size_t bytes) {
    while (bytes > 0 && !free_.empty()) {
      const auto block =
          std::max_element(free_.begin(), free_.end(),
                           [](const auto &a, const auto &b) { return a.second < b.second; });
      const std::size_t size = std::min(block->second, bytes);
      auto *from = reinterpret_cast<char *>(take(block, size));
      for (std::size_t at = 0; at < size; at += page_bytes)
        if (mremap(from + at, page_bytes, page_bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                   address + at) == MAP_FAILED)
          throw std::bad_alloc();
      address += size;
      bytes -= size;
    }
  }

  // From the system, aligned to a page.
  static char *map(std::size_t bytes) {
    const std::size_t more = bytes + page_bytes;
    void *mapped = mmap(nullptr, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
      throw std::bad_alloc();
    auto *first = static_cast<char *>(mapped);
    const std::size_t before = (page_bytes - reinterpret_cast<std::uintptr_t>(first)) % page_bytes;
    if (before > 0)
      munmap(first, before);
    munmap(first + before + bytes, page_bytes - before);
    madvise(first + before, bytes, MADV_HUGEPAGE); // a wish: without it, all is as before
    return first + before;
  }

  std::mutex mutex_;
  Blocks free_;
  std::size_t kept_ = 0;
  const std::size_t most_kept_ = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                                 static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / parts_of_memory;
};

#else

// Every block by itself, so that its use after it is freed is found.
class PagePool {
public:
  void *allocate(std::size_t bytes) {
    void *address = std::aligned_alloc(page_bytes, bytes);
    if (!address)
      throw std::bad_alloc();
    return address;
  }
  void free(void *address, std::size_t) { std::free(address); }
};

#endif

PagePool &pool() {
  static auto *const pages = new PagePool; // arrays may outlive all other objects
  return *pages;
}

} // namespace

void *allocate_pages(std::size_t bytes) {
  if (bytes >= page_bytes)
    return pool().allocate(rounded_up(bytes));
  void *address = std::malloc(bytes);
  if (!address && bytes > 0)
    throw std::bad_alloc();
  return address;
}

void free_pages(void *address, std::size_t bytes) {
  if (bytes >= page_bytes)
    pool().free(address, rounded_up(bytes));
  else
    std::free(address);
}

} // namespace weft
