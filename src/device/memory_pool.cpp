#include "device/memory_pool.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"

namespace weft {

namespace {

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

// Sizes that are alike become equal, so that freed blocks are found again.
std::uint64_t rounded(std::uint64_t bytes) {
  const std::uint64_t unit = bytes < 4096 ? 256 : (bytes < (1u << 20) ? 4096 : 65536);
  return std::max<std::uint64_t>((bytes + unit - 1) / unit, 1) * unit;
}

} // namespace

MemoryPool::MemoryPool(std::unique_ptr<MemorySource> source, MemoryLimits limits)
    : source_(std::move(source)), limits_(std::move(limits)) {}

MemoryPool::~MemoryPool() {
  shrink_free_to(0);
}

void MemoryPool::check_room(std::uint64_t bytes, const char *purpose) const {
  if (bytes > limits_.max_allocation_bytes)
    throw Error(ErrorKind::system,
                {.what = fmt::format("{} does not fit into one buffer of the device", purpose),
                 .where = limits_.device,
                 .found = megabytes(bytes),
                 .allowed = "up to " + megabytes(limits_.max_allocation_bytes) + " in one buffer",
                 .remedy = "use a smaller mesh, single precision, or another device"});
  if (in_use_ + bytes > limits_.memory_bytes)
    throw Error(
        ErrorKind::system,
        {.what = fmt::format("the device has not enough memory for {}", purpose),
         .where = limits_.device,
         .found = fmt::format("{} needed, {} already in use", megabytes(bytes), megabytes(in_use_)),
         .allowed = megabytes(limits_.memory_bytes) + " in all",
         .remedy = "use a smaller mesh, single precision, or another device"});
}

Buffer MemoryPool::allocate(std::uint64_t bytes, const char *purpose) {
  check_room(bytes, purpose);
  const MemoryBlock block = take(limits_.exact_sizes ? bytes : rounded(bytes));
  in_use_ += block.bytes;
  peak_ = std::max(peak_, in_use_);
  return std::make_shared<PooledBuffer>(shared_from_this(), block, bytes);
}

Buffer MemoryPool::share(const MemoryBlock &block) {
  return std::make_shared<PooledBuffer>(shared_from_this(), block, block.bytes);
}

MemoryBlock MemoryPool::take(std::uint64_t bytes) {
  const auto found = free_.lower_bound(bytes);
  if (found != free_.end() && found->first <= bytes + bytes / 8) {
    const MemoryBlock block = found->second;
    free_.erase(found);
    free_bytes_ -= block.bytes;
    return block;
  }
  if (in_use_ + free_bytes_ + bytes > limits_.memory_bytes)
    shrink_free_to(0);
  return source_->acquire(bytes);
}

void MemoryPool::give_back(const MemoryBlock &block) {
  if (block.is_shared) {
    source_->finish();
    source_->release(block);
    return;
  }
  in_use_ -= block.bytes;
  free_.emplace(block.bytes, block);
  free_bytes_ += block.bytes;
  shrink_free_to(limits_.keep_bytes);
}

void MemoryPool::shrink_free_to(std::uint64_t bytes) {
  const auto too_much = [&] { return !free_.empty() && (bytes == 0 || free_bytes_ > bytes); };
  if (!too_much())
    return;
  source_->finish();
  while (too_much()) { // largest first
    const auto last = std::prev(free_.end());
    free_bytes_ -= last->first;
    source_->release(last->second);
    free_.erase(last);
  }
}

const MemoryBlock &block_of(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset) {
  require(buffer != nullptr, "a buffer is used before it is allocated");
  require(offset + bytes <= buffer->bytes, "an access ends beyond its buffer");
  return static_cast<const PooledBuffer &>(*buffer).block();
}

} // namespace weft
