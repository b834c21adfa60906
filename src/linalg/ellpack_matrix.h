// A matrix of differences in ELLPACK, on the host: what the diffusion operator takes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft {

// y[i] = sum over slots s of value[i, s] * (x[index[i, s]] - x[i]), with as many slots in every
// row. A slot without a neighbour names the row itself, with the value 0. x has num_rows entries,
// then num_ghosts whose values are given: on boundary facets.
struct EllpackMatrix {
  std::int64_t num_rows = 0;
  std::int64_t num_ghosts = 0;
  int width = 0;
  std::vector<std::int32_t> index; // [row, slot], below num_rows + num_ghosts
  std::vector<double> value;       // [row, slot]

  std::int64_t num_columns() const { return num_rows + num_ghosts; }
};

// The same matrix with row cells[p] in place p; ghosts stay, slots too.
EllpackMatrix reordered(const EllpackMatrix &matrix, std::span<const std::int32_t> cells);

} // namespace weft
