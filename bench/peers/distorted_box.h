// The mesh of bench/peers/hexahedra for programs that know nothing of Weft, as C and as C++:
// corners of the unit cube cut into cells^3 hexahedra, the inner ones moved as `weft mesh box
// --distort 0.2` moves them, by a hash of their numbers. The same as in src/mesh/build/box.cpp, bit
// for bit.
#pragma once

#include <math.h>
#include <stdint.h>

// From -1 to 1.
static inline double box_random_step(uint64_t node, uint64_t direction) {
  uint64_t z = (node * 3 + direction + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-52 - 1;
}

// at: int64[3], the corner's place in the grid, each from 0 to cells; x: double[3]
static inline void box_corner(int64_t cells, const int64_t *at, double *x) {
  const double distort = 0.2; // of a cell, in all directions together
  const int64_t node = at[0] + (cells + 1) * (at[1] + (cells + 1) * at[2]);
  int inner = 1;
  for (int d = 0; d < 3; ++d)
    inner = inner && at[d] > 0 && at[d] < cells;
  for (int d = 0; d < 3; ++d) {
    const double step = inner ? distort / sqrt(3.0) * box_random_step(node, d) : 0;
    x[d] = ((double)at[d] + step) / (double)cells;
  }
}
