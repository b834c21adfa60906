// How far what a device gives is from what it must give.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace weft {

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
