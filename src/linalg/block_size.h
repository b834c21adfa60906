// Sizes of blocks known to the compiler, for the loops that multigrid's set-up spends its time in.
#pragma once

#include <type_traits>

namespace weft {

// Calls body(height, width) with integral constants for the usual sizes of blocks, so that the
// loops over them unroll, and with ints for any other. Height: unknowns of a node; width: near
// null vectors.
template <typename Body> void with_block_size(int height, int width, const Body &body) {
  const auto is = [&](int h, int w) { return height == h && width == w; };
  if (is(1, 1)) // scalar fields
    body(std::integral_constant<int, 1>(), std::integral_constant<int, 1>());
  else if (is(3, 6)) // elasticity
    body(std::integral_constant<int, 3>(), std::integral_constant<int, 6>());
  else if (is(6, 6))
    body(std::integral_constant<int, 6>(), std::integral_constant<int, 6>());
  else
    body(height, width);
}

} // namespace weft
