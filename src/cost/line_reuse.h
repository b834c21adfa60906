// How long ago a cache saw the lines that a sum over neighbours reads.
#pragma once

#include <array>

namespace weft {

// Reads of lines of x, each counted a cell, by the cells since the same line was read last. In bin
// 0 the line was read by the same cell, in bin b by one 2^(b-1) to 2^b - 1 cells before.
struct LineReuse {
  static constexpr int num_bins = 33;
  static double cells_of(int bin);           // in between, in the middle of the bin
  std::array<double, num_bins> neighbours{}; // reads of neighbours' places
  std::array<double, num_bins> own{};        // of cells' own places, one after the other
  // Lines a cell that a neighbour's place, or an own one, is the first to read.
  double first_neighbours = 0, first_own = 0;

  // Lines that `cells` cells in a row read, each counted once: the sum of the reads that each of
  // them adds to what the earlier ones have read (Xiang, Ding, Luo and Bao 2013, DOI
  // 10.1145/2451116.2451153).
  double footprint_lines(double cells) const;
};

} // namespace weft
