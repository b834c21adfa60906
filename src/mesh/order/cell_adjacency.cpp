#include "mesh/order/cell_adjacency.h"

#include "base/parallel.h"
#include "base/permutation.h"

namespace weft {

namespace {

// length(row): its entries; fill(row, where they go).
template <typename Length, typename Fill>
CellAdjacency build(std::int64_t num_cells, const Length &length, const Fill &fill) {
  CellAdjacency result;
  result.offset.resize(num_cells + 1, 0);
  parallel_ranges(num_cells, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t c = begin; c < end; ++c)
      result.offset[c + 1] = length(c);
  });
  for (std::int64_t c = 0; c < num_cells; ++c)
    result.offset[c + 1] += result.offset[c];
  result.neighbours.resize(result.offset.back());
  parallel_ranges(num_cells, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t c = begin; c < end; ++c)
      fill(c, result.neighbours.data() + result.offset[c]);
  });
  return result;
}

} // namespace

CellAdjacency make_adjacency(std::span<const std::int32_t> table, std::int64_t num_cells,
                             int width) {
  const auto is_neighbour = [&](std::int64_t c, int slot) {
    const std::int32_t other = table[c * width + slot];
    return other >= 0 && other < num_cells && other != c;
  };
  return build(
      num_cells,
      [&](std::int64_t c) {
        std::int64_t length = 0;
        for (int slot = 0; slot < width; ++slot)
          length += is_neighbour(c, slot);
        return length;
      },
      [&](std::int64_t c, std::int32_t *row) {
        for (int slot = 0; slot < width; ++slot)
          if (is_neighbour(c, slot))
            *row++ = table[c * width + slot];
      });
}

CellAdjacency reordered(const CellAdjacency &adjacency, std::span<const std::int32_t> cells) {
  const std::vector<std::int32_t> places = inverse_permutation(cells);
  return build(
      adjacency.num_cells(),
      [&](std::int64_t p) { return static_cast<std::int64_t>(adjacency.of(cells[p]).size()); },
      [&](std::int64_t p, std::int32_t *row) {
        for (const std::int32_t neighbour : adjacency.of(cells[p]))
          *row++ = places[neighbour];
      });
}

} // namespace weft
