// A vector that every rank has as a whole, put together of what each has computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/precision.h"
#include "device/device.h"
#include "ranks/communicator.h"

namespace weft {

class GatheredVector {
public:
  // All. `own`: entries of this rank; those of all ranks follow one another. Both must outlive it.
  GatheredVector(Device &device, Communicator &ranks, std::int64_t own, Precision precision);

  std::int64_t first() const { return first_[ranks_.rank()]; }
  std::int64_t size() const { return first_.back(); }
  // All: the own entries of all ranks, as queued work leaves them; one gather.
  void gather(const Buffer &own, const Buffer &whole);

private:
  Device &device_;
  Communicator &ranks_;
  std::size_t entry_bytes_;
  std::vector<std::int64_t> first_; // [rank + 1]
  std::size_t most_bytes_ = 0;      // of a rank
  std::vector<std::byte> own_, all_;
};

} // namespace weft
