// Places in space and differences of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "mesh/mesh.h"

namespace weft {

using Position = std::array<double, 3>; // in 2D the last coordinate is 0

inline Position position_of(const Mesh &mesh, std::int32_t node) {
  Position x = {0, 0, 0};
  std::copy_n(&mesh.coordinates[static_cast<std::int64_t>(node) * mesh.dim], mesh.dim, x.begin());
  return x;
}

inline Position difference_of(const Position &a, const Position &b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

inline double product(const Position &a, const Position &b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline Position cross_product(const Position &a, const Position &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline double norm_of(const Position &a) {
  return std::sqrt(product(a, a));
}

} // namespace weft
