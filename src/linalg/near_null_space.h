// Vectors that an operator nearly maps to zero: what the coarse levels of algebraic multigrid must
// represent.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

struct NearNullSpace {
  int num_vectors = 0;        // 0: constants of each component, without values
  int components = 1;         // unknowns of a node, consecutive
  std::vector<double> values; // [dof, vector]
  // Several fields: [dof], a number for each field and component; components is 1, and unknowns
  // of different numbers have no near null vector in common. Else empty.
  std::vector<std::uint8_t> functions;
};

} // namespace weft
