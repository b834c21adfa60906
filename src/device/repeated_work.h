// Work on a device that is done again and again, each time the same: on a device that can, recorded
// once and then replayed by one call, for a call of the host may take longer than a small kernel.
#pragma once

#include <functional>
#include <utility>

#include "device/device.h"

namespace weft {

class RepeatedWork {
public:
  // `work`: launches, copies and zeros, each time of the same programs on the same buffers with the
  // same numbers. What it does on the host beside them must not matter: it is not done each time.
  RepeatedWork(Device &device, std::function<void()> work)
      : device_(device), work_(std::move(work)) {}

  // The first time as it is, which compiles and allocates. As it is, too, where it cannot be
  // recorded, and as a part of other work that is being recorded.
  void run();

private:
  Device &device_;
  std::function<void()> work_;
  bool ran_ = false, tried_ = false;
  Recording recording_; // null: not tried, or it cannot be
};

} // namespace weft
