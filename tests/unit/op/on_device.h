// The CPU as a device, opened once.
#pragma once

#include <memory>

#include "device/device.h"

namespace weft {

inline Device &test_device() {
  static const std::unique_ptr<Device> device = open_device("opencl");
  return *device;
}

} // namespace weft
