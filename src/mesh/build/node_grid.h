// Nodes found by their position, within a tolerance.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/position.h"

namespace weft {

// Nodes in cubes that are much larger than the tolerance: one is found in the cube of a position,
// or in one next to it where the position is that near a face.
class NodeGrid {
public:
  NodeGrid(const Mesh &mesh, double tolerance);
  void add(std::int32_t node);
  // A node added before, closer than the tolerance: of several at one place the lowest. -1 when
  // there is none.
  std::int32_t find(const Position &x) const;

private:
  // The nodes whose cubes have the same hash are linked.
  struct Entry {
    std::uint64_t hash = 0;
    std::int32_t node = -1, next = -1;
  };
  std::uint64_t hash_of(const Position &x) const; // of the cube
  std::int32_t find_in(std::uint64_t hash, const Position &x) const;
  void link(std::int32_t entry);

  const Mesh &mesh_;
  double tolerance_, side_;
  std::vector<Entry> entries_;
  std::vector<std::int32_t> first_; // [last bits of a hash]: entry, -1: none
};

} // namespace weft
