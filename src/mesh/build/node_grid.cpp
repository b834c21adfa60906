#include "mesh/build/node_grid.h"

#include <algorithm>
#include <cmath>

namespace weft {

NodeGrid::NodeGrid(const Mesh &mesh, double tolerance)
    : mesh_(mesh), tolerance_(std::max(tolerance, 1e-290)), side_(256 * tolerance_) {}

void NodeGrid::add(std::int32_t node) {
  cubes_.emplace(cube_of(position_of(mesh_, node)), node);
}

std::int32_t NodeGrid::find(const Position &x) const {
  Cube before{};
  for (int at = 0; at < 8; ++at) {
    Position corner = x;
    for (int d = 0; d < 3; ++d)
      corner[d] += at >> d & 1 ? tolerance_ : -tolerance_;
    const Cube cube = cube_of(corner);
    if (at > 0 && cube == before)
      continue; // mostly all corners are in one
    before = cube;
    if (const std::int32_t node = find_in(cube, x); node >= 0)
      return node;
  }
  return -1;
}

std::size_t NodeGrid::CubeHash::operator()(const Cube &cube) const {
  std::uint64_t hash = 0;
  for (const std::int64_t index : cube) {
    hash = (hash ^ static_cast<std::uint64_t>(index)) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

NodeGrid::Cube NodeGrid::cube_of(const Position &x) const {
  Cube cube;
  for (int d = 0; d < 3; ++d)
    cube[d] = static_cast<std::int64_t>(std::floor(std::clamp(x[d] / side_, -9e18, 9e18)));
  return cube;
}

std::int32_t NodeGrid::find_in(const Cube &cube, const Position &x) const {
  std::int32_t lowest = -1; // of several at one place, whatever the order in the table
  const auto [begin, end] = cubes_.equal_range(cube);
  for (auto entry = begin; entry != end; ++entry) {
    if ((lowest < 0 || entry->second < lowest) &&
        norm_of(difference_of(x, position_of(mesh_, entry->second))) <= tolerance_)
      lowest = entry->second;
  }
  return lowest;
}

} // namespace weft
