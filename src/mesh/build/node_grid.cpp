#include "mesh/build/node_grid.h"

#include <algorithm>

#include "mesh/build/cube_hash.h"

namespace weft {

NodeGrid::NodeGrid(const Mesh &mesh, double tolerance)
    : mesh_(mesh), tolerance_(std::max(tolerance, 1e-290)), side_(256 * tolerance_),
      first_(1024, -1) {}

void NodeGrid::add(std::int32_t node) {
  entries_.push_back({hash_of(position_of(mesh_, node)), node});
  if (entries_.size() <= first_.size())
    return link(static_cast<std::int32_t>(entries_.size()) - 1);
  first_.assign(2 * first_.size(), -1);
  for (std::size_t entry = 0; entry < entries_.size(); ++entry)
    link(static_cast<std::int32_t>(entry));
}

std::int32_t NodeGrid::find(const Position &x) const {
  std::uint64_t before = 0;
  for (int at = 0; at < 8; ++at) {
    Position corner = x;
    for (int d = 0; d < 3; ++d)
      corner[d] += at >> d & 1 ? tolerance_ : -tolerance_;
    const std::uint64_t hash = hash_of(corner);
    if (at > 0 && hash == before)
      continue; // mostly all corners are in one
    before = hash;
    if (const std::int32_t node = find_in(hash, x); node >= 0)
      return node;
  }
  return -1;
}

std::uint64_t NodeGrid::hash_of(const Position &x) const {
  std::uint64_t hash = 0;
  for (int d = 0; d < 3; ++d)
    hash = hash_with_index(hash, cube_index(x[d] / side_));
  return hash;
}

std::int32_t NodeGrid::find_in(std::uint64_t hash, const Position &x) const {
  std::int32_t lowest = -1; // of several at one place, whatever the order in the table
  for (std::int32_t e = first_[hash & (first_.size() - 1)]; e >= 0; e = entries_[e].next) {
    const Entry &entry = entries_[e];
    if (entry.hash == hash && (lowest < 0 || entry.node < lowest) &&
        norm_of(difference_of(x, position_of(mesh_, entry.node))) <= tolerance_)
      lowest = entry.node;
  }
  return lowest;
}

void NodeGrid::link(std::int32_t entry) {
  std::int32_t &first = first_[entries_[entry].hash & (first_.size() - 1)];
  entries_[entry].next = first;
  first = entry;
}

} // namespace weft
