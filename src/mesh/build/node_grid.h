// Nodes found by their position, within a tolerance.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

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
  using Cube = std::array<std::int64_t, 3>;
  struct CubeHash {
    std::size_t operator()(const Cube &cube) const;
  };
  Cube cube_of(const Position &x) const;
  std::int32_t find_in(const Cube &cube, const Position &x) const;

  const Mesh &mesh_;
  double tolerance_, side_;
  std::unordered_multimap<Cube, std::int32_t, CubeHash> cubes_;
};

} // namespace weft
