// Arrays on the host that are long and filled by all threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/pages.h"

namespace weft {

// Leaves new elements as they are in memory, for whoever fills them to touch first.
template <typename T> struct HostAllocator {
  using value_type = T;
  HostAllocator() = default;
  template <typename U> HostAllocator(const HostAllocator<U> &) {}

  T *allocate(std::size_t count) { return static_cast<T *>(allocate_pages(count * sizeof(T))); }
  void deallocate(T *address, std::size_t count) { free_pages(address, count * sizeof(T)); }
  template <typename U> void construct(U *at) { ::new (static_cast<void *>(at)) U; }
  template <typename U, typename... Values> void construct(U *at, Values &&...values) {
    ::new (static_cast<void *>(at)) U(std::forward<Values>(values)...);
  }
  bool operator==(const HostAllocator &) const { return true; }
};

// A std::vector whose resize() does not set new numbers to zero.
template <typename T> class HostArray : public std::vector<T, HostAllocator<T>> {
public:
  using std::vector<T, HostAllocator<T>>::vector;
  // A copy.
  operator std::vector<T>() const { return {this->begin(), this->end()}; }
  template <typename Allocator>
  friend bool operator==(const HostArray &a, const std::vector<T, Allocator> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator==(const HostArray &a, const HostArray &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
};

} // namespace weft
