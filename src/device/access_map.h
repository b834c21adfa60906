// Which bytes of its buffers a kernel of the host device reads and writes: a mark a byte.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/kernel_cost.h"
#include "device/device.h"

namespace weft {

// Accesses of one launch.
class AccessMap {
public:
  explicit AccessMap(const std::vector<KernelArgument> &arguments);

  // Addresses that all buffers lie between.
  const char *begin() const;
  const char *end() const;
  // `how`: 'r' read, 'v' a real is read, 'w' written, 's' written past the caches. Addresses
  // outside buffers are left: false.
  bool access(const void *address, unsigned bytes, char how);
  // Adds the unique bytes to `cost`, and to memory_reads1 all reads of reals.
  void add_to(KernelCost &cost) const;

private:
  struct Range {
    const char *begin;
    std::vector<std::uint8_t> marks;
  };
  std::vector<Range> ranges_; // sorted
  std::uint64_t reads_of_reals_ = 0;
};

} // namespace weft
