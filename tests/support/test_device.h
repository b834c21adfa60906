// The device that the tests' kernels run on: the CPU, or what WEFT_TEST_DEVICE names, with
// WEFT_TEST_THREADS cores if that is set. It is opened when it is first asked for, and closed
// before main() ends: drivers end with it, and its programs must not outlive them.
#pragma once

#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>

#include "device/device.h"
#include "device/open/open_device.h"

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

// One of the caller's own.
inline std::unique_ptr<Device> open_test_device() {
  const char *selector = std::getenv("WEFT_TEST_DEVICE");
  const char *threads = std::getenv("WEFT_TEST_THREADS");
  return open_device(selector ? selector : "opencl", threads ? std::atoi(threads) : 0);
}

inline Device &test_device() {
  if (!TestDevice::device())
    TestDevice::device() = open_test_device();
  return *TestDevice::device();
}

} // namespace weft
