// Buffers of a device: counted, limited, and reused when freed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "device/device.h"

namespace weft {

// Memory as a driver gives it.
struct MemoryBlock {
  std::uint64_t bytes = 0;
  void *handle = nullptr; // cl_mem, CUdeviceptr or host address
  void *host = nullptr;   // where the host sees the same bytes; null where it does not
  bool is_shared = false; // the memory is its user's, and not to be freed or kept
};

// What a back end supplies. release() is called only for blocks that no queued work uses.
class MemorySource {
public:
  virtual ~MemorySource() = default;
  virtual MemoryBlock acquire(std::uint64_t bytes) = 0; // throws when the driver refuses
  virtual void release(const MemoryBlock &block) = 0;
  virtual void finish() = 0; // waits until no queued work is left
};

struct MemoryLimits {
  std::string device;                     // for messages
  std::uint64_t memory_bytes = 0;         // of the device
  std::uint64_t max_allocation_bytes = 0; // of one buffer
  std::uint64_t keep_bytes = 0;           // freed memory held for reuse at most
  bool exact_sizes = false;               // no rounding up, so that overruns can be seen
};

class PooledBuffer;

class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
public:
  MemoryPool(std::unique_ptr<MemorySource> source, MemoryLimits limits);
  ~MemoryPool();

  // A PooledBuffer. Throws `system` before touching memory when the device has no room.
  Buffer allocate(std::uint64_t bytes, const char *purpose);
  // A PooledBuffer in memory that is another's; `block.is_shared`. Not counted.
  Buffer share(const MemoryBlock &block);
  std::uint64_t allocated_bytes() const { return in_use_; }
  std::uint64_t peak_allocated_bytes() const { return peak_; }

private:
  friend class PooledBuffer;
  void check_room(std::uint64_t bytes, const char *purpose) const;
  MemoryBlock take(std::uint64_t bytes);
  void give_back(const MemoryBlock &block);
  void shrink_free_to(std::uint64_t bytes);

  std::unique_ptr<MemorySource> source_;
  MemoryLimits limits_;
  std::multimap<std::uint64_t, MemoryBlock> free_; // by size
  std::uint64_t free_bytes_ = 0;
  std::uint64_t in_use_ = 0;
  std::uint64_t peak_ = 0;
};

class PooledBuffer : public BufferImpl {
public:
  PooledBuffer(std::shared_ptr<MemoryPool> pool, const MemoryBlock &block, std::uint64_t size)
      : pool_(std::move(pool)), block_(block) {
    bytes = size;
  }
  ~PooledBuffer() override { pool_->give_back(block_); }
  PooledBuffer(const PooledBuffer &) = delete;
  PooledBuffer &operator=(const PooledBuffer &) = delete;
  const MemoryBlock &block() const { return block_; }

private:
  std::shared_ptr<MemoryPool> pool_; // a buffer may outlive its Device
  MemoryBlock block_;
};

// The block behind a buffer, for `bytes` from `offset`; throws `invariant` when they do not fit.
const MemoryBlock &block_of(const Buffer &buffer, std::uint64_t bytes = 0,
                            std::uint64_t offset = 0);

} // namespace weft
