// The device that the tests' kernels run on: the CPU, or what WEFT_TEST_DEVICE names. It is opened
// when it is first asked for, and closed before main() ends: drivers do not outlive it.
#pragma once

#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>

#include "device/device.h"

namespace weft {

class TestDevice : public testing::Environment {
public:
  static std::unique_ptr<Device> &device() {
    static std::unique_ptr<Device> device;
    return device;
  }
  void TearDown() override { device().reset(); }
};
inline const auto *const test_device_environment =
    testing::AddGlobalTestEnvironment(new TestDevice);

inline Device &test_device() {
  if (!TestDevice::device()) {
    const char *selector = std::getenv("WEFT_TEST_DEVICE");
    TestDevice::device() = open_device(selector ? selector : "opencl");
  }
  return *TestDevice::device();
}

} // namespace weft
