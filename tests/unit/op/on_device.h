// The CPU as a device, opened once, and how far its results are from others.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "device/device.h"

namespace weft {

inline Device &test_device() {
  static const std::unique_ptr<Device> device = open_device("opencl");
  return *device;
}

// Largest difference relative to the largest reference value.
inline double difference(const std::vector<double> &found, const std::vector<double> &reference) {
  double largest = 0, scale = 1e-300;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    scale = std::max(scale, std::abs(reference[i]));
    largest =
        std::isfinite(found[i]) ? std::max(largest, std::abs(found[i] - reference[i])) : INFINITY;
  }
  return largest / scale;
}

} // namespace weft
