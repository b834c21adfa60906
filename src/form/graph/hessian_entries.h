// How second derivatives are numbered: those of the upper triangle, row by row, as a Hessian equals
// its transpose.
#pragma once

#include <array>

namespace weft {

constexpr int num_hessian_entries(int dim) {
  return dim * (dim + 1) / 2;
}

// The number of the derivative along a and b, in either order.
constexpr int hessian_entry(int dim, int a, int b) {
  return a <= b ? a * dim - a * (a - 1) / 2 + b - a : hessian_entry(dim, b, a);
}

// What it is along: the lower direction first.
constexpr std::array<int, 2> hessian_directions(int dim, int entry) {
  int a = 0;
  for (; entry >= dim - a; ++a)
    entry -= dim - a;
  return {a, a + entry};
}

} // namespace weft
